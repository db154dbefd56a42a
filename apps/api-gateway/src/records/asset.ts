import { z } from 'zod';

export const assetStatusSchema = z.enum(['active', 'unknown', 'invalid']);
export const assetNamespaceSchema = z.enum(['erc20', 'trc20', 'bep20', 'token', 'slip44', 'trc10']);

export const assetSchema = z.object({
  gid: z.string(),
  status: assetStatusSchema,
  archived_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

interface AssetRow {
  readonly gid: string;
  readonly status: string;
  readonly archivedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function toAssetRecord(row: AssetRow): z.infer<typeof assetSchema> {
  return {
    gid: row.gid,
    status: assetStatusSchema.parse(row.status),
    archived_at: row.archivedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
