import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { familySchema } from './path-schemas.ts';

/** The least finished first. */
const BACKFILL_STATUSES = ['failed', 'running', 'pending', 'complete'] as const;

const common = {
  id: z.uuid(),
  address: z.string(),
  chain_family: familySchema,
  format: z.string(),
  label: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  is_monitored: z.boolean(),
  /** The first block that counts, per chain. */
  watched_from: z.record(z.string(), z.int()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  /** The search for what it had before it was watched; null where the chain itself tells balances by address. */
  backfill: z
    .object({
      /** Of the chain that is behind most. */
      status: z.enum(BACKFILL_STATUSES),
      from_block: z.int(),
      chains: z.record(
        z.string(),
        z.object({
          status: z.enum(BACKFILL_STATUSES),
          from_block: z.int(),
          /** `scan`: a node or an index told them; `rescan`: blocks are read, those below `next_block` were. */
          method: z.enum(['scan', 'rescan']).nullable(),
          next_block: z.int().nullable(),
          to_block: z.int().nullable(),
          coin_count: z.int(),
          reason: z.string().nullable(),
        }),
      ),
    })
    .nullable(),
};

export const externalAddressSchema = z.object({
  ...common,
  kind: z.literal('external'),
  imported_at: z.iso.datetime().nullable(),
});

export const hdAddressSchema = z.object({
  ...common,
  kind: z.literal('hd'),
  public_key_id: z.uuid(),
  /** The whole path, `m/84'/0'/0'/0/5`. */
  derivation_path: z.string(),
  index: z.int(),
  /** 0 receive, 1 change. */
  change: z.int(),
  /** A transaction touched it. */
  is_used: z.boolean(),
  /** Wallets that scan for used addresses would stop before it: more than the gap limit behind the last used one. */
  beyond_gap_limit: z.boolean(),
});

export const addressSchema = z.discriminatedUnion('kind', [externalAddressSchema, hdAddressSchema]);

export const addressInclude = {
  watches: { select: { chainGid: true, fromBlock: true } },
  backfills: { select: { chainGid: true, status: true, fromBlock: true, nextBlock: true, toBlock: true, method: true, reason: true, coinCount: true } },
  publicKey: { select: { derivationPath: true, gapLimit: true } },
} as const satisfies Prisma.AddressInclude;
export type AddressRow = Prisma.AddressGetPayload<{ include: typeof addressInclude }>;

/** @param lastUsed the highest used index of the address's chain of its key, -1 without one; external addresses have none */
export function toAddressRecord(row: AddressRow, lastUsed: number): z.infer<typeof addressSchema> {
  return row.publicKey === null ? toExternalRecord(row) : toHdRecord(row, row.publicKey, lastUsed);
}

function toExternalRecord(row: AddressRow): z.infer<typeof externalAddressSchema> {
  return { ...toCommon(row), kind: 'external', imported_at: row.importedAt?.toISOString() ?? null };
}

function toHdRecord(row: AddressRow, publicKey: NonNullable<AddressRow['publicKey']>, lastUsed: number): z.infer<typeof hdAddressSchema> {
  const index = Number(row.derivationIndex);
  const change = row.derivationChange ?? 0;
  return {
    ...toCommon(row),
    kind: 'hd',
    public_key_id: row.publicKeyId!,
    derivation_path: `${publicKey.derivationPath}/${change}/${index}`,
    index,
    change,
    is_used: row.isUsed,
    beyond_gap_limit: index > lastUsed + publicKey.gapLimit,
  };
}

function toCommon(row: AddressRow) {
  return {
    id: row.id,
    address: row.display,
    chain_family: familySchema.parse(row.chainFamily),
    format: row.format,
    label: row.label,
    metadata: common.metadata.parse(row.metadata),
    is_monitored: row.isMonitored,
    watched_from: Object.fromEntries(row.watches.map((watch) => [watch.chainGid, Number(watch.fromBlock)])),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    backfill: toBackfill(row.backfills),
  };
}

function toBackfill(rows: AddressRow['backfills']): z.infer<typeof common.backfill> {
  const status = BACKFILL_STATUSES.find((each) => rows.some((row) => row.status === each));
  if (status === undefined) return null;
  const chains = rows.map((row) => {
    const { status: ofChain, method } = backfillWords.parse(row);
    const progress = { next_block: numberOf(row.nextBlock), to_block: numberOf(row.toBlock), coin_count: row.coinCount, reason: row.reason };
    return [row.chainGid, { status: ofChain, from_block: Number(row.fromBlock), method, ...progress }] as const;
  });
  return { status, from_block: Math.min(...rows.map((row) => Number(row.fromBlock))), chains: Object.fromEntries(chains) };
}

const backfillWords = z.object({ status: z.enum(BACKFILL_STATUSES), method: z.enum(['scan', 'rescan']).nullable() });
const numberOf = (value: bigint | null): number | null => (value === null ? null : Number(value));
