// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS_MIN = 240_000;

export interface WaitOptions {
  /** At least 240,000, which is the default: a machine that is slow fails nothing. */
  readonly timeoutMs?: number;
  /** Default 20. */
  readonly intervalMs?: number;
  /** What was waited for, or a function that also says what there was instead. */
  readonly message?: string | (() => string);
}

/**
 * Polls until `probe` gives something truthy, and returns that. A probe that throws is asked again.
 * @throws Error with the message and the last failure when the time is up
 */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<NonNullable<T>> {
  const { intervalMs = 20, message = 'the condition' } = options;
  const timeoutMs = Math.max(options.timeoutMs ?? 0, TIMEOUT_MS_MIN);
  const deadline = Date.now() + timeoutMs;
  let failure: unknown;
  for (;;) {
    try {
      const value = await probe();
      failure = undefined;
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    if (Date.now() >= deadline) {
      const text = typeof message === 'function' ? message() : message;
      throw new Error(
        `waited ${timeoutMs} ms for ${text}`,
        failure === undefined ? undefined : { cause: failure },
      );
    }
    await delay(intervalMs);
  }
}
