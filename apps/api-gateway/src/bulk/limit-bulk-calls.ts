import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Cache } from '@chainwatch/cache';
import type { Principal } from '@chainwatch/key-store';
import { serviceUnavailable, tooManyRequests } from '@chainwatch/problem';

const PER_WORKSPACE = 2;
/** Their bodies and answers are in memory. */
const PER_PROCESS = 16;
/** A replica that dies holds its slots for so long. */
const SLOT_SECONDS = 45;
const KEEP_MS = 15_000;

interface BulkLimits {
  readonly authorize: (res: Response) => Principal;
  readonly slots: Pick<Cache, 'holdSlot' | 'freeSlot'>;
}

/** Lets a workspace have two bulk calls under way over all replicas, counted before the body is read; a third is 429. */
export function limitBulkCalls({ authorize, slots }: BulkLimits): RequestHandler {
  let running = 0;
  return async (_req, res, next) => {
    const { workspaceId } = authorize(res);
    if (running >= PER_PROCESS)
      throw serviceUnavailable('Too many bulk calls are under way.', { retryAfterSeconds: 1 });
    running += 1;
    res.once('close', () => (running -= 1));
    const slot = { key: `bulk:${workspaceId}`, holder: randomUUID() };
    const hold = (isKept: boolean): Promise<boolean> =>
      slots.holdSlot({ ...slot, limit: PER_WORKSPACE, ttlSeconds: SLOT_SECONDS, isKept });
    if (!(await hold(false)))
      throw tooManyRequests(
        1,
        `Expected at most ${PER_WORKSPACE} bulk calls of a workspace at once, got one more.`,
      );
    if (res.closed) return slots.freeSlot(slot);
    const keeping = setInterval(() => void hold(true), KEEP_MS).unref();
    res.once('close', () => {
      clearInterval(keeping);
      void slots.freeSlot(slot);
    });
    next();
  };
}
