import { z } from 'zod';

const chainGid = z.string().min(5).max(41);
const projectId = z.uuid();
const height = z.int().min(0);
const raw = z.string().regex(/^-?\d+$/);
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** What the ingestor tells, in feed order. `seq` grows by one per chain; the same entries stand in table chain_feed. */
const blockNew = z.object({
  schema: z.literal(1),
  seq: height,
  type: z.enum(['block', 'reorg', 'finalize']),
  chain_gid: chainGid,
  number: height,
  hash: z.string(),
  parent_hash: z.string(),
  /** Unix seconds. */
  timestamp: z.int(),
});

/** Worth something until the entry comes, which it may never do. */
const blockSeen = z.object({ schema: z.literal(1), chain_gid: chainGid, number: height, hash: z.string(), parent_hash: z.string() });

const monitored = z.object({ address_id: z.uuid(), address: z.string() });

/** On chains of unspent outputs one leg: an input (no `to`) or an output (no `from`); the legs of an address add up. */
export const transferRecord = z.object({
  index: z.int().describe('Position in the transaction; on UTXO chains the inputs come first, then the outputs.'),
  type: z.enum(['native', 'token', 'internal']),
  asset_gid: z.string(),
  from: z.string().nullable().describe('Null where the source is no account: coinbases and mints, and every output of a UTXO transaction.'),
  to: z.string().nullable().describe('Null for every input of a UTXO transaction.'),
  /** Null while the token's decimals are not known. */
  amount: decimal.nullable(),
  amount_raw: raw,
  decimals: z.int().nullable(),
  log_index: z.int().nullable(),
  monitored_addresses: z
    .array(z.string())
    .describe('Addresses of the project among `from` and `to`. Empty for an output of a UTXO transaction that pays somebody else out of an output of the project.'),
});

export const transactionRecord = z.object({
  id: z.uuid(),
  chain_gid: chainGid,
  hash: z.string(),
  status: z.enum(['pending', 'detected', 'confirmed', 'reorged', 'failed']),
  direction: z.enum(['in', 'out', 'self']),
  block_number: height.nullable(),
  block_hash: z.string().nullable(),
  block_timestamp: z.iso.datetime().nullable(),
  tx_index: z.int().nullable(),
  confirmations: z.int(),
  required_confirmations: z.int(),
  fee: z
    .object({ asset_gid: z.string(), amount: decimal, amount_raw: raw })
    .nullable()
    .describe('Null where there is none and, on UTXO chains, where an input is spent that no watched address owned: its amount is not known.'),
  transfers: z.array(transferRecord),
  replaced_by: z.string().nullable(),
  detected_at: z.iso.datetime(),
  confirmed_at: z.iso.datetime().nullable(),
  reorged_at: z.iso.datetime().nullable(),
});

export const balanceChangeRecord = z.object({
  address_id: z.uuid(),
  address: z.string(),
  asset_gid: z.string(),
  delta: decimal.nullable(),
  delta_raw: raw,
});

/** The envelope of decisions.md §4: the same bytes on every channel kind. */
const envelope = <T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({
    event_id: z.uuid(),
    type: z.literal(type),
    api_version: z.literal('v1'),
    created_at: z.iso.datetime(),
    is_test_message: z.boolean(),
    project_id: projectId,
    sequence: height,
    data,
  });

const transactionData = z.object({
  transaction: transactionRecord,
  balance_changes: z.array(balanceChangeRecord),
  truncated: z.boolean(),
});

export const balanceChangedData = monitored.extend({
  chain_gid: chainGid,
  asset_gid: z.string(),
  previous: decimal.nullable(),
  current: decimal,
  delta: decimal.nullable(),
  block_number: height,
  block_hash: z.string(),
  is_confirmed: z.boolean(),
});

/** Told to the other channels of the project: the failed one cannot. */
const channelFailedData = z.object({
  channel: z.object({ id: z.uuid(), kind: z.enum(['nats', 'telegram', 'webhook']), name: z.string(), failed_at: z.iso.datetime(), failure_reason: z.string() }),
});

export const EVENT_SCHEMAS = {
  'transaction.detected': envelope('transaction.detected', transactionData),
  'transaction.confirmed': envelope('transaction.confirmed', transactionData),
  'transaction.reorged': envelope('transaction.reorged', transactionData),
  'transaction.failed': envelope('transaction.failed', transactionData),
  'balance.changed': envelope('balance.changed', balanceChangedData),
  'channel.failed': envelope('channel.failed', channelFailedData),
} as const;
export type EventType = keyof typeof EVENT_SCHEMAS;
export type EventEnvelope<T extends EventType = EventType> = z.infer<(typeof EVENT_SCHEMAS)[T]>;
export type TransactionRecord = z.infer<typeof transactionRecord>;
export type TransferRecord = z.infer<typeof transferRecord>;
export type BalanceChangeRecord = z.infer<typeof balanceChangeRecord>;

const withSchema = <T extends z.ZodType>(event: T) => z.intersection(event, z.object({ schema: z.literal(1).optional() }));

/**
 * Every subject of the bus by kind (its first two words), with the words that follow and the payload.
 * Additive only: subscribers outside depend on it. One JetStream stream per first word.
 */
export const SUBJECTS = {
  'block.new': { tokens: ['chain_gid'], payload: blockNew, summary: 'A block was discovered, orphaned or became final.' },
  'block.seen': { tokens: ['chain_gid'], payload: blockSeen, summary: 'A hint that a block is about to be discovered, which nothing may depend on.' },
  'tx.detected': {
    tokens: ['chain_gid', 'project_id'],
    payload: withSchema(z.union([EVENT_SCHEMAS['transaction.detected'], EVENT_SCHEMAS['transaction.failed']])),
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
    payload: z.object({ schema: z.literal(1), address_id: z.uuid(), project_id: projectId, address: z.string(), is_monitored: z.boolean() }),
    summary: 'A hint that addresses of the family were registered or changed.',
  },
  'chain.changed': {
    tokens: ['chain_gid'],
    payload: z.object({ schema: z.literal(1), chain_gid: chainGid }),
    summary: 'A hint that a chain was activated, deactivated or got another endpoint.',
  },
  'key.revoked': {
    tokens: [],
    payload: z.object({ schema: z.literal(1), key_id: z.uuid(), key_hash: z.string(), ends_at: z.iso.datetime().optional() }),
    summary: 'A key must not be honoured from `ends_at` on; without it, from now on.',
  },
} as const;

export type SubjectKind = keyof typeof SUBJECTS;
export type PayloadOf<K extends SubjectKind> = z.infer<(typeof SUBJECTS)[K]['payload']>;
