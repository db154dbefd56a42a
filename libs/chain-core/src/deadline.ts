// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, ChainError } from './errors.ts';
import type { FairQueue } from './fair-queue.ts';

export interface Deadline {
  /** Names the work in messages. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Waits for its turn here first, for as long as the caller does: the time-out is for the work. */
  readonly queue?: FairQueue;
  /** Lets others of the queue go first. */
  readonly isPatient?: boolean;
}

/**
 * Runs `task` in its turn, under a time-out and the caller's signal.
 * @throws ChainClientError, which also wraps whatever the transport throws
 */
export async function withDeadline<T>(
  deadline: Deadline,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { queue, signal, isPatient } = deadline;
  const leave = await queue?.enter({ owner: queue, signal, isPatient }).catch((cause: unknown) => {
    throw new ChainClientError('aborted before it was sent', { cause });
  });
  try {
    return await runInTime(deadline, task);
  } finally {
    leave?.();
  }
}

async function runInTime<T>(
  { what, timeoutMs, signal }: Deadline,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await task(controller.signal);
  } catch (error) {
    if (error instanceof ChainError) throw error;
    throw toClientError(what, controller.signal.aborted ? controller.signal.reason : error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function toClientError(what: string, cause: unknown): ChainClientError {
  return new ChainClientError(`${what}: ${describe(cause)}`, {
    cause,
    publicMessage: 'the node did not answer',
  });
}

/** Connection failures of several addresses come as an aggregate without a message of its own. */
function describe(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(describe).join(', ');
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return `${cause.message}${code}`;
}
