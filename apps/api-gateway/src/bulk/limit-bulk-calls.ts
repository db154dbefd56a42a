import type { RequestHandler, Response } from 'express';
import type { Principal } from '@chainwatch/key-store';
import { serviceUnavailable, tooManyRequests } from '@chainwatch/problem';

const PER_WORKSPACE = 2;
/** Their bodies and answers are in memory. */
const PER_PROCESS = 16;

/**
 * Lets a workspace have two bulk calls under way in this process, counted before the body is read; a third is 429. Each
 * replica counts for itself: it protects its own memory and its own turns, and a count shared by all would outlive a
 * replica that dies.
 */
export function limitBulkCalls(authorize: (res: Response) => Principal): RequestHandler {
  const running = new Map<string, number>();
  let total = 0;
  return (_req, res, next) => {
    const { workspaceId } = authorize(res);
    const count = running.get(workspaceId) ?? 0;
    if (count >= PER_WORKSPACE)
      throw tooManyRequests(
        1,
        `Expected at most ${PER_WORKSPACE} bulk calls of a workspace at once, got one more.`,
      );
    if (total >= PER_PROCESS)
      throw serviceUnavailable('Too many bulk calls are under way.', { retryAfterSeconds: 1 });
    running.set(workspaceId, count + 1);
    total += 1;
    res.once('close', () => {
      total -= 1;
      const left = running.get(workspaceId)! - 1;
      if (left === 0) running.delete(workspaceId);
      else running.set(workspaceId, left);
    });
    next();
  };
}
