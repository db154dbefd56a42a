// SPDX-License-Identifier: Apache-2.0
import { isItemFault } from './is-item-fault.ts';

/** An item that makes the work fail even alone. */
export interface Poison<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Finds the items with which the work fails: tries all of them, then halves, down to a single one. Nothing is found when
 * it fails with several together only.
 *
 * @param attempt does the work for some of the items, and leaves no trace
 * @param isFault whether an error may be the fault of an item
 * @throws what is not the fault of an item
 */
export async function findPoison<T>(
  items: readonly T[],
  attempt: (items: readonly T[]) => Promise<void>,
  isFault: (error: unknown) => boolean = isItemFault,
): Promise<Poison<T>[]> {
  if (items.length === 0) return [];
  try {
    await attempt(items);
    return [];
  } catch (error) {
    if (!isFault(error)) throw error;
    if (items.length === 1) return [{ item: items[0]!, error }];
  }
  const middle = items.length >> 1;
  return [
    ...(await findPoison(items.slice(0, middle), attempt, isFault)),
    ...(await findPoison(items.slice(middle), attempt, isFault)),
  ];
}
