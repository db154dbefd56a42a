// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';

export const skipSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the request.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    from_block: z.int().meta({ description: 'The first block that may be skipped.', examples: [21_000_000] }),
    to_block: z.int().meta({ description: 'The last block that may be skipped.', examples: [21_000_002] }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was asked for.', examples: ['2026-01-01T00:00:00.000Z'] }),
  })
  .meta({ id: 'Skip' });

export function toSkipRecord(row: Prisma.SkipGetPayload<object>): z.infer<typeof skipSchema> {
  return {
    id: row.id,
    chain_gid: row.chainGid,
    from_block: Number(row.fromBlock),
    to_block: Number(row.toBlock),
    created_at: row.createdAt.toISOString(),
  };
}
