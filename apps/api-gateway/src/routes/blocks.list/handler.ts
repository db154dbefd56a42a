import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { integerParameter, listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../define-route.ts';
import { blockSchema, blockStatusSchema, toBlockRecord } from '../../records/block.ts';
import { toOrder } from '../../records/order.ts';

const columns = { number: 'number', chain_gid: 'chainGid', status: 'status' } as const;

export const listBlocks = defineRoute({
  method: 'GET',
  path: '/blocks',
  summary: 'Blocks with their processing statuses',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['number', 'chain_gid', 'status'], '-number'),
    chain_gids: listParameter(chainGidSchema),
    statuses: listParameter(blockStatusSchema),
    from_block: integerParameter(0).optional(),
    to_block: integerParameter(0).optional(),
  }),
  responses: { 200: pageSchema(blockSchema) },
  handle: async ({ query }, { prisma }) => {
    const where: Prisma.BlockWhereInput = {
      chainGid: query.chain_gids && { in: query.chain_gids.map(normalizeChainGid) },
      // Numbers without a block are shown to those who ask for them.
      status: query.statuses ? { in: query.statuses } : { not: 'skipped' },
      number: { gte: query.from_block, lte: query.to_block },
    };
    const orderBy = [toOrder(query.sort_by, columns), { id: 'desc' as const }];
    const [rows, total] = await Promise.all([
      prisma.block.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.block.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toBlockRecord), total, query) };
  },
});
