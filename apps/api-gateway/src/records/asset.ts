// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listFamilies } from '@chainwatch/chain-registry';

export const assetStatusSchema = z.enum(['active', 'unknown', 'invalid']);
export const assetNamespaceSchema = z.enum([
  ...listFamilies().flatMap(({ assetNamespaces }) => assetNamespaces),
  'slip44',
]);

export const assetSchema = z
  .object({
    gid: z.string().meta({
      description: 'The asset as CAIP-19.',
      examples: ['eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7'],
    }),
    status: assetStatusSchema.meta({
      description:
        '`unknown`: discovered, its metadata is not read yet; `active`: in listings and balances; `invalid`: archived, or not a token contract.',
    }),
    archived_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the project archived it. Null otherwise.', examples: [null] }),
    created_at: z.iso.datetime().meta({
      description:
        'When the project added it, or discovered it on one of its addresses; of native coins and the built-in list, when the project was made.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    updated_at: z.iso.datetime().meta({
      description: 'When it changed last for the project: archived, restored, or its metadata read.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
  })
  .meta({ id: 'Asset' });

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
