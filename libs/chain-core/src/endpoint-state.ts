import type { ChainClient } from './chain-family.ts';

/** What an operator is shown of one endpoint. */
export interface EndpointHealth {
  readonly label: string;
  /** False while it cools down after failures, or when it serves another chain. */
  readonly isHealthy: boolean;
  readonly lastError?: string;
  /** Highest head that it has reported. */
  readonly headNumber?: number;
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
  /** When `verifyChain` last passed; undefined before, and after a failure. */
  verifiedAtMs: number | undefined;
  #failureCount = 0;
  #openUntilMs = 0;
  #lastError: Error | undefined;

  constructor(client: ChainClient) {
    this.client = client;
  }

  get openUntilMs(): number {
    return this.#openUntilMs;
  }

  isOpen(nowMs: number): boolean {
    return nowMs < this.#openUntilMs;
  }

  succeed(): void {
    this.#failureCount = 0;
    this.#openUntilMs = 0;
    this.#lastError = undefined;
  }

  fail(error: Error, nowMs: number, { cooldownMs, cooldownMsMax }: CircuitOptions): void {
    this.#lastError = error;
    this.verifiedAtMs = undefined;
    this.#openUntilMs = nowMs + Math.min(cooldownMs * 2 ** Math.min(this.#failureCount, 20), cooldownMsMax);
    this.#failureCount++;
  }

  health(nowMs: number): EndpointHealth {
    const { client, headNumber } = this;
    return {
      label: client.label,
      isHealthy: !this.isOpen(nowMs),
      lastError: this.#lastError?.message,
      headNumber,
    };
  }
}
