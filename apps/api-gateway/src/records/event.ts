import { z } from 'zod';
import { EVENT_SCHEMAS } from '@chainwatch/events';

/** An event exactly as it was sent. */
export const eventSchema = z.discriminatedUnion('type', [
  EVENT_SCHEMAS['transaction.detected'],
  EVENT_SCHEMAS['transaction.confirmed'],
  EVENT_SCHEMAS['transaction.reorged'],
  EVENT_SCHEMAS['transaction.failed'],
  EVENT_SCHEMAS['balance.changed'],
  EVENT_SCHEMAS['channel.failed'],
]);

/** Events are shown for that long (decisions.md §5). */
const EVENT_DAYS = 30;

export function eventHorizon(): Date {
  return new Date(Date.now() - EVENT_DAYS * 86_400_000);
}

export function toEventRecord({ payload }: { readonly payload: string }): z.infer<typeof eventSchema> {
  return JSON.parse(payload) as z.infer<typeof eventSchema>;
}
