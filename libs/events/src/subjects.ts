// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { EVENT_SCHEMAS, type EventEnvelope } from './event-envelope.ts';
import { chainGid, projectId } from './event-records.ts';
import { EVENT_SUBJECTS, eventTypesOn, type EventSubject, type EventTypeOn } from './events.ts';

const HASH = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3';
const PARENT = '0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6';
const ID = '6f1d1f4e-0000-4000-8000-000000000001';

const schema = z.literal(1).meta({ description: 'Version of the payload; it only gains members.' });
const height = z
  .int()
  .min(0)
  .meta({ description: 'Height of the block, on Solana the slot.', examples: [21_000_000] });
const hash = z.string().meta({ description: 'Hash of the block.', examples: [HASH] });
const parentHash = z.string().meta({ description: 'Hash of the block before.', examples: [PARENT] });

/** What the ingestor tells, in feed order. `seq` grows by one per chain; the same entries stand in table chain_feed. */
const blockNew = z.object({
  schema,
  seq: z
    .int()
    .min(0)
    .meta({ description: 'Grows by one per chain, without gaps.', examples: [42] }),
  type: z.enum(['block', 'reorg', 'finalize']).meta({
    description:
      '`block`: a new head; `reorg`: this block left the chain, newest first; `finalize`: this block and all below are final.',
  }),
  chain_gid: chainGid,
  number: height,
  hash,
  parent_hash: parentHash,
  timestamp: z.int().meta({
    description: 'When the block says that it was made, in Unix seconds.',
    examples: [1_767_225_600],
  }),
});

type EventSubjects = {
  readonly [S in EventSubject]: {
    readonly tokens: readonly ['chain_gid', 'project_id'];
    readonly payload: z.ZodType<EventEnvelope<EventTypeOn<S>> & { readonly schema?: 1 | undefined }>;
    readonly summary: string;
  };
};

/** The payload is the event itself. */
const eventSubjects = Object.fromEntries(
  Object.entries(EVENT_SUBJECTS).map(([subject, summary]) => {
    const [first, ...others] = eventTypesOn(subject as EventSubject).map((type) => EVENT_SCHEMAS[type]);
    const event = others.length === 0 ? first! : z.union([first!, ...others]);
    return [
      subject,
      {
        tokens: ['chain_gid', 'project_id'],
        payload: z.intersection(event, z.object({ schema: schema.optional() })),
        summary,
      },
    ];
  }),
) as unknown as EventSubjects;

/**
 * Every subject of the bus by kind (its first two words), with the words that follow and the payload.
 * Additive only: subscribers outside depend on it. One JetStream stream per first word.
 */
export const SUBJECTS = {
  'block.new': {
    tokens: ['chain_gid'],
    payload: blockNew,
    summary: 'A block was discovered, orphaned or became final.',
  },
  ...eventSubjects,
  'address.watched': {
    tokens: ['family'],
    payload: z.object({
      schema,
      address_id: z.uuid().meta({ description: 'As `id` in `/addresses`.', examples: [ID] }),
      project_id: projectId,
      address: z.string().meta({
        description: 'The address in the form it is matched by (EVM: lower case).',
        examples: ['0xd8da6bf26964af9d7eed9e03e53415d37aa96045'],
      }),
      is_monitored: z.boolean().meta({ description: 'Whether it is to be watched.', examples: [true] }),
      count: z
        .int()
        .min(1)
        .optional()
        .meta({
          description: 'How many addresses were changed at once, of which this is the first; absent: one.',
          examples: [1_000],
        }),
    }),
    summary: 'A hint that addresses of the family were registered or changed.',
  },
  'chain.changed': {
    tokens: ['chain_gid'],
    payload: z.object({ schema, chain_gid: chainGid }),
    summary: 'A hint that a chain was activated, deactivated or got another endpoint.',
  },
  'key.revoked': {
    tokens: [],
    payload: z.object({
      schema,
      key_id: z.uuid().meta({ description: 'As `id` in `/management/keys`.', examples: [ID] }),
      key_hash: z.string().meta({
        description: 'SHA-256 of the key, in hexadecimal.',
        examples: ['2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
      }),
      ends_at: z.iso
        .datetime()
        .optional()
        .meta({ description: 'When it ends; absent: now.', examples: ['2026-01-01T00:00:00.000Z'] }),
    }),
    summary: 'A key must not be honored from `ends_at` on; without it, from now on.',
  },
} as const;

export type SubjectKind = keyof typeof SUBJECTS;
export type PayloadOf<K extends SubjectKind> = z.infer<(typeof SUBJECTS)[K]['payload']>;
