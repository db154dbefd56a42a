// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { familySchema } from './path-schemas.ts';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

/** Ordered from the least complete to the most. */
const BACKFILL_STATUSES = ['failed', 'running', 'pending', 'complete'] as const;

const MONITORING_STATUSES = ['active', 'inactive', 'not_followed'] as const;

const notCoveredSchema = z.object({
  from_block: z.int().meta({ description: 'The first block of the range.', examples: [62_000_000] }),
  to_block: z.int().meta({ description: 'The last block of the range.', examples: [62_000_000] }),
});

const common = {
  id: z.uuid().meta({
    description: 'Of the address in this project.',
    examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
  }),
  address: z.string().meta({
    description: 'The address in its display form (EVM: EIP-55).',
    examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  }),
  chain_family: familySchema.meta({
    description: 'The family of chains that knows it; an EVM address is watched on every active EVM chain.',
  }),
  format: z.string().meta({
    description:
      'How it is written: `evm`, `p2wpkh`, …. A `p2pkh` address does not match outputs that pay its public key directly (P2PK), as in Bitcoin Core.',
    examples: ['evm'],
  }),
  label: z
    .string()
    .nullable()
    .meta({ description: 'As its user calls it.', examples: ['Treasury'] }),
  metadata: z
    .record(z.string(), z.unknown())
    .meta({ description: 'JSON of its user, given back as it came.', examples: [{ customer_id: '1042' }] }),
  groups: z
    .array(z.string())
    .meta({ description: 'Groups of its user that it is in.', examples: [['customers', 'eu']] }),
  is_monitored: z.boolean().meta({ description: 'Whether transactions of the address are reported.' }),
  monitoring: z.record(z.string(), z.enum(MONITORING_STATUSES)).meta({
    description:
      'The chains that know the address, as CAIP-2. `active`: its payments are detected there, while `is_monitored`. `inactive`: the chain is deactivated. `not_followed`: the service does not have the chain.',
    examples: [{ 'eip155:1': 'active' }],
  }),
  warnings: z.array(z.string()).meta({
    description:
      'Why payments to the address are not detected although it is monitored. Do not show the address to payers before this is resolved.',
    examples: [[]],
  }),
  watched_from: z.record(z.string(), z.int()).meta({
    description: 'The first block that counts, by chain as CAIP-2: what lies before was not looked at.',
    examples: [{ 'eip155:1': 21_000_000 }],
  }),
  created_at: createdAtSchema,
  updated_at: updatedAtSchema,
  backfill: z
    .object({
      status: z.enum(BACKFILL_STATUSES).meta({ description: 'Of the chain that is behind most.' }),
      from_block: z.int().meta({ description: 'The lowest block that was asked for.', examples: [0] }),
      chains: z
        .record(
          z.string(),
          z.object({
            status: z.enum(BACKFILL_STATUSES).meta({ description: 'Of this chain.' }),
            from_block: z
              .int()
              .meta({ description: 'Block from which its past is looked for.', examples: [0] }),
            method: z.enum(['scan', 'rescan', 'history']).nullable().meta({
              description:
                '`history`: transactions are searched in final blocks, on EVM, TRON and Solana. Unspent outputs: `scan`, reported by a node or an index; `rescan`, read from blocks. Null while undecided.',
            }),
            next_block: z
              .int()
              .nullable()
              .meta({
                description: 'The block that is read next: those below were. Null with `scan`.',
                examples: [null],
              }),
            to_block: z
              .int()
              .nullable()
              .meta({
                description: 'The last block of the search. Null while it is not known.',
                examples: [21_000_000],
              }),
            progress: z
              .number()
              .min(0)
              .max(1)
              .nullable()
              .meta({
                description: 'The part of its blocks that was read. Null while that is not known.',
                examples: [1],
              }),
            rate: z
              .number()
              .nullable()
              .meta({
                description: 'Blocks read per second, lately. Null where that is not known.',
                examples: [null],
              }),
            coin_count: z.int().meta({ description: 'Unspent outputs that were found.', examples: [3] }),
            transaction_count: z.int().meta({
              description: 'Transactions that were found. 0 with `scan` and `rescan`.',
              examples: [0],
            }),
            reason: z
              .string()
              .nullable()
              .meta({ description: 'Why it failed or waits. Null otherwise.', examples: [null] }),
            not_covered: z.array(notCoveredSchema).meta({
              description:
                'Blocks in which token transfers of the address may be missing: Solana recorded no owners of token accounts before the end of 2021. At most 100 ranges, ascending; beyond that, close ones are joined.',
              examples: [[]],
            }),
          }),
        )
        .meta({
          description: 'The search on each chain, by CAIP-2.',
          examples: [
            {
              'bip122:000000000019d6689c085ae165831e93': {
                status: 'complete',
                from_block: 0,
                method: 'scan',
                next_block: null,
                to_block: 870_000,
                progress: 1,
                rate: null,
                coin_count: 3,
                transaction_count: 0,
                reason: null,
                not_covered: [],
              },
            },
          ],
        }),
    })
    .nullable()
    .meta({
      description:
        'The import of earlier transactions and coins. Null if no history was requested and the chain reports balances by address.',
      examples: [null],
    }),
};

export const externalAddressSchema = z
  .object({
    ...common,
    kind: z.literal('external').meta({ description: 'Imported, not derived.' }),
    imported_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was imported.', examples: ['2026-01-01T00:00:00.000Z'] }),
  })
  .meta({ id: 'ExternalAddress' });

export const hdAddressSchema = z
  .object({
    ...common,
    kind: z.literal('hd').meta({ description: 'Derived from a public key.' }),
    public_key_id: z.uuid().meta({
      description: 'The public key it was derived from.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
    derivation_path: z.string().meta({ description: 'The whole path.', examples: ["m/84'/0'/0'/0/5"] }),
    index: z.int().meta({ description: 'Its place in the chain of the key, from 0.', examples: [5] }),
    change: z.int().meta({ description: '0: receive, 1: change.', examples: [0] }),
    is_used: z.boolean().meta({ description: 'Whether a transaction touched it.' }),
    beyond_gap_limit: z.boolean().meta({
      description:
        'Wallets that scan for used addresses would stop before it: it is more than the gap limit behind the last used one.',
    }),
  })
  .meta({ id: 'HdAddress' });

export const addressSchema = z
  .discriminatedUnion('kind', [externalAddressSchema, hdAddressSchema])
  .meta({ id: 'Address' });

export const ADDRESS_INCLUDE = {
  watches: { select: { chainGid: true, fromBlock: true } },
  backfills: {
    select: {
      chainGid: true,
      status: true,
      fromBlock: true,
      nextBlock: true,
      toBlock: true,
      method: true,
      reason: true,
      coinCount: true,
    },
  },
  histories: {
    select: {
      chainGid: true,
      status: true,
      fromBlock: true,
      nextBlock: true,
      toBlock: true,
      transactionCount: true,
      blocksPerSecond: true,
      reason: true,
      notCovered: true,
    },
  },
  publicKey: { select: { derivationPath: true, gapLimit: true, chainGid: true } },
} as const satisfies Prisma.AddressInclude;
export type AddressRow = Prisma.AddressGetPayload<{ include: typeof ADDRESS_INCLUDE }>;

/** What a record shows of the chains that know its address. */
export type Monitoring = Pick<z.infer<typeof externalAddressSchema>, 'monitoring' | 'warnings'>;

/**
 * @param lastUsed the highest used index of the address's chain (receive or change) of its key; -1 if none is used.
 * External addresses have none
 */
export function toAddressRecord(
  row: AddressRow,
  monitoring: Monitoring,
  lastUsed: number,
): z.infer<typeof addressSchema> {
  return row.publicKey === null
    ? toExternalRecord(row, monitoring)
    : { ...toCommon(row, monitoring), ...toHdMembers(row, row.publicKey, lastUsed) };
}

export function toExternalRecord(
  row: AddressRow,
  monitoring: Monitoring,
): z.infer<typeof externalAddressSchema> {
  return {
    ...toCommon(row, monitoring),
    kind: 'external',
    imported_at: row.importedAt?.toISOString() ?? null,
  };
}

function toHdMembers(
  row: AddressRow,
  publicKey: NonNullable<AddressRow['publicKey']>,
  lastUsed: number,
): Omit<z.infer<typeof hdAddressSchema>, keyof typeof common> {
  const index = Number(row.derivationIndex);
  const change = row.derivationChange ?? 0;
  return {
    kind: 'hd',
    public_key_id: row.publicKeyId!,
    derivation_path: `${publicKey.derivationPath}/${change}/${index}`,
    index,
    change,
    is_used: row.isUsed,
    beyond_gap_limit: index > lastUsed + publicKey.gapLimit,
  };
}

function toCommon(row: AddressRow, monitoring: Monitoring) {
  return {
    id: row.id,
    address: row.display,
    chain_family: familySchema.parse(row.chainFamily),
    format: row.format,
    label: row.label,
    metadata: common.metadata.parse(row.metadata),
    groups: row.groups,
    is_monitored: row.isMonitored,
    ...monitoring,
    watched_from: Object.fromEntries(row.watches.map((watch) => [watch.chainGid, Number(watch.fromBlock)])),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    backfill: toBackfill(row),
  };
}

function toBackfill({ backfills, histories }: AddressRow): z.infer<typeof common.backfill> {
  const chains = [...backfills.map(describeCoins), ...histories.map(describeHistory)];
  const status = BACKFILL_STATUSES.find((each) => chains.some(([, chain]) => chain.status === each));
  if (status === undefined) return null;
  return {
    status,
    from_block: Math.min(...chains.map(([, chain]) => chain.from_block)),
    chains: Object.fromEntries(chains),
  };
}

type ChainBackfill = NonNullable<z.infer<typeof common.backfill>>['chains'][string];

function describeCoins(row: AddressRow['backfills'][number]): [string, ChainBackfill] {
  const [next, to] = [numberOf(row.nextBlock), numberOf(row.toBlock)];
  const status = statusSchema.parse(row.status);
  return [
    row.chainGid,
    {
      status,
      from_block: Number(row.fromBlock),
      method: methodSchema.parse(row.method),
      next_block: next,
      to_block: to,
      progress: status === 'complete' ? 1 : progressOf(Number(row.fromBlock), next, to),
      rate: null,
      coin_count: row.coinCount,
      transaction_count: 0,
      reason: row.reason,
      not_covered: [],
    },
  ];
}

function describeHistory(row: AddressRow['histories'][number]): [string, ChainBackfill] {
  const [from, next, to] = [Number(row.fromBlock), Number(row.nextBlock), numberOf(row.toBlock)];
  const status = statusSchema.parse(row.status);
  return [
    row.chainGid,
    {
      status,
      from_block: from,
      method: 'history',
      next_block: next,
      to_block: to,
      progress: status === 'complete' ? 1 : progressOf(from, next, to),
      rate: row.blocksPerSecond,
      coin_count: 0,
      transaction_count: Number(row.transactionCount),
      reason: row.reason,
      not_covered: z.array(notCoveredSchema).parse(row.notCovered),
    },
  ];
}

/** The part of [from, to] below `next`. */
function progressOf(from: number, next: number | null, to: number | null): number | null {
  if (next === null || to === null) return null;
  return to < from ? 1 : Math.min(1, Math.max(0, (next - from) / (to - from + 1)));
}

const statusSchema = z.enum(BACKFILL_STATUSES);
const methodSchema = z.enum(['scan', 'rescan']).nullable();
const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value));
