import { z } from 'zod';
import { EVENT_SCHEMAS, EVENT_TYPES, type EventEnvelope, type EventType } from '@chainwatch/events';

type EventSchema = (typeof EVENT_SCHEMAS)[EventType];
const schemas = EVENT_TYPES.map((type): EventSchema => EVENT_SCHEMAS[type]) as [
  EventSchema,
  ...EventSchema[],
];

/** An event exactly as it was sent. */
export const eventSchema = z.discriminatedUnion('type', schemas);

/** How long events are shown (decisions.md §5). */
const EVENT_DAYS = 30;

export function eventHorizon(): Date {
  return new Date(Date.now() - EVENT_DAYS * 86_400_000);
}

export function toEventRecord({ payload }: { readonly payload: string }): EventEnvelope {
  return JSON.parse(payload) as EventEnvelope;
}
