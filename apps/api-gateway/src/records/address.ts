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

/** Addresses are external in this build: extended public keys, and with them HD addresses, come with the Bitcoin family. */
export const addressSchema = z.discriminatedUnion('kind', [externalAddressSchema]);

export const addressInclude = { watches: true } as const satisfies Prisma.AddressInclude;
export type AddressRow = Prisma.AddressGetPayload<{ include: typeof addressInclude }>;

export function toAddressRecord(row: AddressRow): z.infer<typeof externalAddressSchema> {
  return {
    id: row.id,
    address: row.display,
    kind: 'external',
    chain_family: familySchema.parse(row.chainFamily),
    format: row.format,
    label: row.label,
    metadata: common.metadata.parse(row.metadata),
    is_monitored: row.isMonitored,
    watched_from: Object.fromEntries(row.watches.map((watch) => [watch.chainGid, Number(watch.fromBlock)])),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    imported_at: row.importedAt?.toISOString() ?? null,
    backfill: null,
  };
}
