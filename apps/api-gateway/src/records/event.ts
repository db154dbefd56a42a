// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { EVENT_SCHEMAS, EVENT_TYPES, type EventEnvelope, type EventType } from '@chainwatch/events';

type EventSchema = (typeof EVENT_SCHEMAS)[EventType];
const schemas = EVENT_TYPES.map((type): EventSchema => EVENT_SCHEMAS[type]) as [
  EventSchema,
  ...EventSchema[],
];

/** An event exactly as it was sent. */
export const eventSchema = z.discriminatedUnion('type', schemas).meta({ id: 'Event' });

const position = z
  .int()
  .min(1)
  .nullable()
  .meta({
    description:
      "Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.",
    examples: [18_231],
  });
const itemOf = (schema: EventSchema) => {
  const { id, description } = schema.meta()!;
  return schema.extend({ position }).meta({ id: `${id}Item`, description });
};

/** An event in a list, with its place in the order in which the project's events became visible. */
export const eventItemSchema = z
  .discriminatedUnion(
    'type',
    schemas.map(itemOf) as [ReturnType<typeof itemOf>, ...ReturnType<typeof itemOf>[]],
  )
  .meta({ id: 'EventItem' });

/** How long events are shown (decisions.md §5). */
const EVENT_DAYS = 30;

export function eventHorizon(): Date {
  return new Date(Date.now() - EVENT_DAYS * 86_400_000);
}

export function toEventRecord({ payload }: { readonly payload: string }): EventEnvelope {
  return JSON.parse(payload) as EventEnvelope;
}

/**
 * Whether a stored payload is an event. One that is not (a row that was damaged, or written by hand) is left out of pages, so
 * that it stops nobody; a stream passes it on as it is, and an export without it is cut.
 */
export function isEvent(payload: string): boolean {
  try {
    const event = JSON.parse(payload) as unknown;
    return typeof event === 'object' && event !== null && !Array.isArray(event);
  } catch {
    return false;
  }
}

export function toEventItem({
  payload,
  position,
}: {
  readonly payload: string;
  readonly position: number | null;
}): z.output<typeof eventItemSchema> {
  return { ...(JSON.parse(payload) as EventEnvelope), position };
}
