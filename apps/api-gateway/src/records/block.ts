import { z } from 'zod';

export const blockStatusSchema = z.enum(['new', 'processed', 'confirmed', 'reorged', 'skipped']);

export const blockSchema = z.object({
  chain_gid: z.string(),
  number: z.int(),
  hash: z.string().nullable(),
  status: blockStatusSchema,
  parent_hash: z.string().nullable(),
  timestamp: z.iso.datetime().nullable(),
});

interface BlockRow {
  readonly chainGid: string;
  readonly number: bigint;
  readonly hash: string | null;
  readonly parentHash: string | null;
  readonly blockTimestamp: Date | null;
  readonly status: string;
}

export function toBlockRecord(row: BlockRow): z.infer<typeof blockSchema> {
  return {
    chain_gid: row.chainGid,
    number: Number(row.number),
    hash: row.hash,
    status: blockStatusSchema.parse(row.status),
    parent_hash: row.parentHash,
    timestamp: row.blockTimestamp?.toISOString() ?? null,
  };
}
