// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { eventKeyOf } from '@chainwatch/channels';
import type { Channel } from '../channel-store.ts';

/** The key of all events of a channel that has one order. */
export const CHANNEL_KEY = 0;

/**
 * What an event shares with those that it must not overtake in a channel: the address that is the key of Kafka, too, as a 32-bit
 * hash. Two addresses with one hash share an order, which harms neither. Null: the channel has no order.
 */
export function orderingKeyOf(
  { orderingKey }: Pick<Channel, 'orderingKey'>,
  { payload, type: eventType }: { readonly payload: string; readonly type: string },
): number | null {
  if (orderingKey === undefined) return null;
  if (orderingKey === 'channel') return CHANNEL_KEY;
  return createHash('sha256').update(eventKeyOf({ payload, eventType })).digest().readInt32BE(0);
}

/** The key of a row for the channel `c`, as its config is now. A channel that became strict at this moment has one order for it. */
export function storedKey(given: string): string {
  return `CASE WHEN c.config ->> 'ordering' = 'strict' THEN
    CASE WHEN c.config ->> 'ordering_key' = 'address' THEN coalesce(${given}, ${CHANNEL_KEY}) ELSE ${CHANNEL_KEY} END END`;
}
