// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { Cache } from '@chainwatch/platform/cache';

export type Slots = Pick<Cache, 'holdSlot' | 'freeSlot'>;

/** Frees a slot that was taken. */
export type Free = () => Promise<void>;

/** A replica that dies holds its slots for so long. */
const SLOT_SECONDS = 45;
const KEEP_MS = 15_000;

/**
 * Takes one of `limit` slots, which all replicas share, and keeps it until it is freed. Undefined where none is free.
 * @param key what is limited, and for whom: `exports:<key id>`
 */
export async function takeSlot(slots: Slots, key: string, limit: number): Promise<Free | undefined> {
  const slot = { key, holder: randomUUID() };
  const hold = (isKept: boolean): Promise<boolean> =>
    slots.holdSlot({ ...slot, limit, ttlSeconds: SLOT_SECONDS, isKept });
  if (!(await hold(false))) return undefined;
  const keeping = setInterval(() => void hold(true), KEEP_MS).unref();
  return () => {
    clearInterval(keeping);
    return slots.freeSlot(slot);
  };
}
