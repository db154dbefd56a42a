// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { createdAtSchema } from './recorded-times.ts';

const ID = '6f1d1f4e-0000-4000-8000-000000000001';

export const searchHitSchema = z
  .object({
    type: z.enum(['address', 'transaction', 'event', 'delivery', 'channel', 'audit_log']).meta({
      description: 'What was found; `audit_log`: a change that the request with that id made.',
    }),
    id: z.uuid().meta({ description: 'Of what was found.', examples: [ID] }),
    title: z.string().meta({
      description:
        'The address, the hash, the type of the event, the name of the channel or the action of the change.',
      examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
    }),
    label: z
      .string()
      .nullable()
      .meta({
        description: 'Of an address; the channel of a delivery; who made a change. Null otherwise.',
        examples: ['Customer 42'],
      }),
    status: z
      .string()
      .nullable()
      .meta({
        description: 'Of a transaction, a delivery or a channel. Null otherwise.',
        examples: [null],
      }),
    chain_gid: z
      .string()
      .nullable()
      .meta({
        description: 'The chain (CAIP-2) of a transaction or an event. Null otherwise.',
        examples: ['eip155:1'],
      }),
    channel_id: z
      .uuid()
      .nullable()
      .meta({
        description: 'The channel of a delivery. Null otherwise.',
        examples: [ID],
      }),
    created_at: createdAtSchema,
  })
  .meta({ id: 'SearchHit' });

export type SearchHit = z.infer<typeof searchHitSchema>;
