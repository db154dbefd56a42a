import { z } from 'zod';
import { assetStatusSchema } from './asset.ts';

export const tokenTypeSchema = z.enum(['native', 'fungible']);
const sourceSchema = z.enum(['chain', 'registry']);

export const tokenSchema = z.object({
  gid: z.string(),
  chain_gid: z.string(),
  namespace: z.string(),
  reference: z.string(),
  type: tokenTypeSchema,
  /** Null while the chain has not been asked yet. */
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.int().nullable(),
  image_url: z.string().nullable(),
  status: assetStatusSchema,
  source: sourceSchema,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

interface TokenRow {
  readonly gid: string;
  readonly chainGid: string;
  readonly namespace: string;
  readonly reference: string;
  readonly type: string;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly imageUrl: string | null;
  readonly status: string;
  readonly source: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function toTokenRecord(row: TokenRow): z.infer<typeof tokenSchema> {
  return {
    gid: row.gid,
    chain_gid: row.chainGid,
    namespace: row.namespace,
    reference: row.reference,
    type: tokenTypeSchema.parse(row.type),
    name: row.name,
    symbol: row.symbol,
    decimals: row.decimals,
    image_url: row.imageUrl,
    status: assetStatusSchema.parse(row.status),
    source: sourceSchema.parse(row.source),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
