import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { familySchema } from './path-schemas.ts';

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
};

export const externalAddressSchema = z.object({
  ...common,
  kind: z.literal('external'),
  imported_at: z.iso.datetime().nullable(),
  backfill: z.object({ status: z.string(), from_block: z.int().nullable() }).nullable(),
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

export const addressInclude = { watches: true, publicKey: { select: { derivationPath: true, gapLimit: true } } } as const satisfies Prisma.AddressInclude;
export type AddressRow = Prisma.AddressGetPayload<{ include: typeof addressInclude }>;

/** @param lastUsed the highest used index of the address's chain of its key, -1 without one; external addresses have none */
export function toAddressRecord(row: AddressRow, lastUsed: number): z.infer<typeof addressSchema> {
  return row.publicKey === null ? toExternalRecord(row) : toHdRecord(row, row.publicKey, lastUsed);
}

function toExternalRecord(row: AddressRow): z.infer<typeof externalAddressSchema> {
  return { ...toCommon(row), kind: 'external', imported_at: row.importedAt?.toISOString() ?? null, backfill: null };
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
  };
}
