// SPDX-License-Identifier: Apache-2.0
import type { RequestHandler, Response } from 'express';
import type { Principal } from '@chainwatch/data/key-store';
import { serviceUnavailable } from '@chainwatch/common/problem';
import type { Slots } from '../server/take-slot.ts';
import { takeBulkSlot } from './take-bulk-slot.ts';

/** Their bodies and answers are in memory. */
const PER_PROCESS = 16;

interface BulkLimits {
  readonly authorize: (res: Response) => Principal;
  readonly slots: Slots;
}

/** Lets a workspace have two bulk calls under way over all replicas, counted before the body is read; a third is 429. */
export function limitBulkCalls({ authorize, slots }: BulkLimits): RequestHandler {
  let running = 0;
  return async (_req, res, next) => {
    const { workspaceId } = authorize(res);
    const free = await takeBulkSlot(slots, workspaceId);
    if (res.destroyed) return free();
    res.once('close', () => void free());
    // Counted behind the slots: what a workspace sends beyond its own takes no room of others.
    if (running >= PER_PROCESS)
      throw serviceUnavailable('Too many bulk calls are under way.', { retryAfterSeconds: 1 });
    running += 1;
    res.once('close', () => (running -= 1));
    next();
  };
}
