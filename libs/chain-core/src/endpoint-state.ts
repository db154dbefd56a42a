// SPDX-License-Identifier: Apache-2.0
import type { ChainClient } from './chain-family.ts';
import { describePublicly } from './errors.ts';

/** What an operator is shown of one endpoint. */
export interface EndpointHealth {
  readonly label: string;
  /** Calls go there first. */
  readonly isPrimary: boolean;
  /** False while it cools down after failures, or when it serves another chain. */
  readonly isHealthy: boolean;
  /** The last head that it reported. */
  readonly headNumber?: number;
  /** How long it took to tell its head when it was asked last. */
  readonly headMs?: number;
  /** Unix milliseconds: when it answered last, and when it failed. */
  readonly answeredAtMs?: number;
  readonly failedAtMs?: number;
  /** Why it failed, as API clients may be told, also where it answered since. */
  readonly lastError?: string;
}

export interface CircuitOptions {
  /** Cool-down after the first failure; doubles with each further one. */
  readonly cooldownMs: number;
  readonly cooldownMsMax: number;
}

/** One endpoint with its circuit breaker: after a failure it is passed over until its cool-down ends. */
export class EndpointState {
  readonly client: ChainClient;
  headNumber: number | undefined;
  headMs: number | undefined;
  answeredAtMs: number | undefined;
  /** When `verifyChain` last passed; undefined before, and after a failure. */
  verifiedAtMs: number | undefined;
  #failureCount = 0;
  #openUntilMs = 0;
  #lastFailure: { readonly error: Error; readonly atMs: number } | undefined;

  constructor(client: ChainClient) {
    this.client = client;
  }

  get openUntilMs(): number {
    return this.#openUntilMs;
  }

  isOpen(nowMs: number): boolean {
    return nowMs < this.#openUntilMs;
  }

  succeed(nowMs: number): void {
    this.answeredAtMs = nowMs;
    this.#failureCount = 0;
    this.#openUntilMs = 0;
  }

  fail(error: Error, nowMs: number, { cooldownMs, cooldownMsMax }: CircuitOptions): void {
    this.#lastFailure = { error, atMs: nowMs };
    this.verifiedAtMs = undefined;
    this.#openUntilMs = nowMs + Math.min(cooldownMs * 2 ** Math.min(this.#failureCount, 20), cooldownMsMax);
    this.#failureCount++;
  }

  health(nowMs: number): Omit<EndpointHealth, 'isPrimary'> {
    const { client, headNumber, headMs, answeredAtMs } = this;
    const failure = this.#lastFailure;
    return {
      label: client.label,
      isHealthy: !this.isOpen(nowMs),
      headNumber,
      headMs,
      answeredAtMs,
      failedAtMs: failure?.atMs,
      lastError: failure && describePublicly(failure.error),
    };
  }
}
