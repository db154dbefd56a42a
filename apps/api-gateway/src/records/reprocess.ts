// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';

const statusSchema = z.enum(['running', 'done']);

export const reprocessSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the request.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] }),
    status: statusSchema.meta({
      description: '`running` until every block is decoded again; one runs on a chain at a time.',
    }),
    from_block: z.int().meta({ description: 'The first block.', examples: [21_000_000] }),
    to_block: z.int().meta({ description: 'The last block.', examples: [21_000_100] }),
    next_block: z.int().meta({ description: 'Blocks below are done.', examples: [21_000_000] }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was asked for.', examples: ['2026-01-01T00:00:00.000Z'] }),
  })
  .meta({ id: 'Reprocess' });

export function toReprocessRecord(row: Prisma.ReprocessGetPayload<object>): z.infer<typeof reprocessSchema> {
  return {
    id: row.id,
    chain_gid: row.chainGid,
    status: statusSchema.parse(row.status),
    from_block: Number(row.fromBlock),
    to_block: Number(row.toBlock),
    next_block: Number(row.nextBlock),
    created_at: row.createdAt.toISOString(),
  };
}
