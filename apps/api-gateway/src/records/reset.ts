// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';

const statusSchema = z.enum(['running', 'done']);

export const resetSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the request.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    chain_gid: z.string().meta({ description: 'The chain as CAIP-2.', examples: ['eip155:31337'] }),
    status: statusSchema.meta({
      description: '`running` until every block is given up; one runs on a chain at a time.',
    }),
    from_block: z
      .int()
      .nullable()
      .meta({ description: 'The first block that is given up. Null: all are.', examples: [null] }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was asked for.', examples: ['2026-01-01T00:00:00.000Z'] }),
  })
  .meta({ id: 'Reset' });

export function toResetRecord(row: Prisma.ResetGetPayload<object>): z.infer<typeof resetSchema> {
  return {
    id: row.id,
    chain_gid: row.chainGid,
    status: statusSchema.parse(row.status),
    from_block: row.fromBlock === null ? null : Number(row.fromBlock),
    created_at: row.createdAt.toISOString(),
  };
}
