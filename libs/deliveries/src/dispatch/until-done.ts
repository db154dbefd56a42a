import { setTimeout as delay } from 'node:timers/promises';
import type { Logger, WorkerHealth } from '@chainwatch/telemetry';

/** Pause before the next try. */
const RETRY_MS = 1_000;

/**
 * Runs statements of a batch until they succeed: what is behind it may have been stored, and waits for it.
 * @throws what another try does not change, and whatever comes when the signal is aborted
 */
export async function untilDone<T>(
  run: (isRetry: boolean) => Promise<T>,
  {
    signal,
    logger,
    health,
  }: {
    readonly signal: AbortSignal;
    readonly logger: Pick<Logger, 'warn'>;
    readonly health?: WorkerHealth | undefined;
  },
): Promise<T> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      const done = await run(isRetry);
      health?.succeed();
      return done;
    } catch (err) {
      if (signal.aborted || isRefused(err)) throw err;
      health?.fail('events could not be dispatched');
      logger.warn({ err }, 'events could not be dispatched, retrying');
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** The database refuses a value (SQLSTATE class 22), whenever it gets it. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('22');
}
