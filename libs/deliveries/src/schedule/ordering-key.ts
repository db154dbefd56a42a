import { createHash } from 'node:crypto';
import { eventKeyOf } from '@chainwatch/channels';
import type { Channel } from '../channel-store.ts';
import type { EventRow } from './undispatched.ts';

/** The key of all events of a channel that has one order. */
export const CHANNEL_KEY = 0;

/**
 * What an event shares with those that it must not overtake in a channel: a 32-bit hash of the address, by which Kafka's
 * partitions go too. Two addresses with one hash share an order, which harms neither. Null: the channel has no order.
 */
export function orderingKeyOf(
  { orderingKey }: Pick<Channel, 'orderingKey'>,
  { payload, type: eventType }: Pick<EventRow, 'payload' | 'type'>,
): number | null {
  if (orderingKey === undefined) return null;
  if (orderingKey === 'channel') return CHANNEL_KEY;
  return createHash('sha256').update(eventKeyOf({ payload, eventType })).digest().readInt32BE(0);
}
