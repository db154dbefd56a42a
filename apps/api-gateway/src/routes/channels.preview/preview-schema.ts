// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { eventSchema } from '../../records/event.ts';

/** What a channel would have had. */
export const previewSchema = z
  .object({
    since: z.iso.datetime().meta({
      description: 'Events made then or later were counted.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    until: z.iso.datetime().meta({
      description:
        'Events made before then were counted. Earlier than the `until` of the request where `is_complete` is false.',
      examples: ['2026-01-08T00:00:00.000Z'],
    }),
    is_complete: z.boolean().meta({
      description:
        'Whether the entire period was read. A preview reads up to 50,000 events for up to 8 seconds: ask again with a later `since`, or for a shorter time.',
      examples: [true],
    }),
    event_count: z
      .int()
      .min(0)
      .meta({ description: 'Events that the channel would have had.', examples: [412] }),
    counts: z
      .array(
        z
          .object({
            type: z.string().meta({ description: 'Type of event.', examples: ['transaction.confirmed'] }),
            chain_gid: z
              .string()
              .nullable()
              .meta({
                description: 'Chain of the events; null for events of no chain.',
                examples: ['eip155:1'],
              }),
            count: z
              .int()
              .min(1)
              .meta({ description: 'So many of them.', examples: [412] }),
          })
          .meta({ id: 'ChannelPreviewCount', description: 'Events of one type and chain.' }),
      )
      .meta({ description: 'The same by type and chain.' }),
    events: z.array(eventSchema).meta({ description: 'The first 20 of them, oldest first, whole.' }),
    bodies: z
      .array(z.string())
      .nullable()
      .meta({
        description:
          'The same events in the same order as the channel sends them: with `fields` and `format`, or as the text of a chat or mail. Null where that is the event as it is.',
        examples: [['{"event_id":"6f1d1f4e-0000-4000-8000-000000000001","data":{}}']],
      }),
  })
  .meta({ id: 'ChannelPreview', description: 'Which events of the past a channel would have had.' });
