// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { height, projectId, time } from './event-records.ts';
import { EVENT_TYPES, EVENTS, type EventType } from './events.ts';

/** The envelope of decisions.md §4: the same bytes on every channel kind. */
const envelope = <T extends EventType>(type: T) => {
  const { data, description } = EVENTS[type];
  return z
    .object({
      event_id: z.uuid().meta({
        description:
          'UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.',
        examples: ['6f1d1f4e-0000-5000-8000-000000000001'],
      }),
      type: z.literal(type).meta({ description: 'What happened.' }),
      api_version: z.literal('v1').meta({ description: 'Version of this envelope; it only gains members.' }),
      created_at: time.meta({
        description: 'When the event was made.',
        examples: ['2026-01-01T00:00:01.000Z'],
      }),
      is_test_message: z
        .boolean()
        .meta({ description: 'True for what `actions/test` sends: nothing happened.', examples: [false] }),
      project_id: projectId,
      sequence: height.nullable().meta({
        description:
          'Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.',
        examples: [18_231],
      }),
      is_historical: z.literal(true).optional().meta({
        description:
          'Present where a transaction was final before its address was watched, and was found by its history.',
      }),
      data: data as (typeof EVENTS)[T]['data'],
    })
    .meta({ id: nameOf(type), description });
};

/** `transaction.detected` → `TransactionDetectedEvent`: its name in the documents. */
function nameOf(type: string): string {
  return `${type.replace(/(^|\.)(\w)/g, (_, _dot, letter: string) => letter.toUpperCase())}Event`;
}

type EventSchemas = { readonly [T in EventType]: ReturnType<typeof envelope<T>> };

/** The envelope of each event type. */
export const EVENT_SCHEMAS = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, envelope(type)]),
) as unknown as EventSchemas;

export type EventEnvelope<T extends EventType = EventType> = z.infer<EventSchemas[T]>;
