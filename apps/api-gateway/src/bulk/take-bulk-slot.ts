// SPDX-License-Identifier: Apache-2.0
import { tooManyRequests } from '@chainwatch/common/problem';
import { takeSlot, type Free, type Slots } from '../server/take-slot.ts';

const PER_WORKSPACE = 2;

/** Takes one of the two places that a workspace has for bulk calls, over all replicas. @throws ProblemError 429 for a third */
export async function takeBulkSlot(slots: Slots, workspaceId: string): Promise<Free> {
  const free = await takeSlot(slots, `bulk:${workspaceId}`, PER_WORKSPACE);
  if (free !== undefined) return free;
  throw tooManyRequests(
    1,
    `Expected at most ${PER_WORKSPACE} bulk calls of a workspace at once, got one more.`,
  );
}
