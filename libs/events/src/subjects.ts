import { z } from 'zod';
import { chainGid, EVENT_SCHEMAS, projectId } from './event-records.ts';

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

/** Worth something until the entry comes, which it may never do. */
const blockSeen = z.object({ schema, chain_gid: chainGid, number: height, hash, parent_hash: parentHash });

const withSchema = <T extends z.ZodType>(event: T) =>
  z.intersection(event, z.object({ schema: schema.optional() }));

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
  'block.seen': {
    tokens: ['chain_gid'],
    payload: blockSeen,
    summary: 'A hint that a block is about to be discovered, which nothing may depend on.',
  },
  'tx.detected': {
    tokens: ['chain_gid', 'project_id'],
    payload: withSchema(
      z.union([EVENT_SCHEMAS['transaction.detected'], EVENT_SCHEMAS['transaction.failed']]),
    ),
    summary: 'A transaction touches a monitored address of the project.',
  },
  'tx.confirmed': {
    tokens: ['chain_gid', 'project_id'],
    payload: withSchema(EVENT_SCHEMAS['transaction.confirmed']),
    summary: 'Such a transaction became final.',
  },
  'tx.reorged': {
    tokens: ['chain_gid', 'project_id'],
    payload: withSchema(EVENT_SCHEMAS['transaction.reorged']),
    summary: 'Such a transaction was reorganised out of the chain.',
  },
  'balance.changed': {
    tokens: ['chain_gid', 'project_id'],
    payload: withSchema(EVENT_SCHEMAS['balance.changed']),
    summary: 'The chain says that a monitored address has a new balance.',
  },
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
    summary: 'A key must not be honoured from `ends_at` on; without it, from now on.',
  },
} as const;

export type SubjectKind = keyof typeof SUBJECTS;
export type PayloadOf<K extends SubjectKind> = z.infer<(typeof SUBJECTS)[K]['payload']>;
