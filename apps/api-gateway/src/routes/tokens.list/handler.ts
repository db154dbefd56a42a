import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../contains-text.ts';
import { defineRoute } from '../../define-route.ts';
import { assetNamespaceSchema } from '../../records/asset.ts';
import { toOrder } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema, tokenTypeSchema } from '../../records/token.ts';

const columns = { created_at: 'createdAt', gid: 'gid', name: 'name', symbol: 'symbol' } as const;

export const listTokens = defineRoute({
  method: 'GET',
  path: '/tokens',
  summary: 'Native coins and tokens; archived ones and contracts that are no token are left out',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'gid', 'name', 'symbol'], '-created_at'),
    chain_gids: listParameter(chainGidSchema),
    namespaces: listParameter(assetNamespaceSchema),
    type: tokenTypeSchema.optional(),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(tokenSchema) },
  handle: async ({ query }, { prisma }) => {
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const where: Prisma.AssetWhereInput = {
      chainGid: query.chain_gids && { in: query.chain_gids.map(normalizeChainGid) },
      namespace: query.namespaces && { in: query.namespaces },
      type: query.type,
      status: { not: 'invalid' },
      archivedAt: null,
      OR: matches && [{ name: matches }, { symbol: matches }, { reference: matches }],
    };
    const orderBy = [toOrder(query.sort_by, columns), { gid: 'asc' as const }];
    const [rows, total] = await Promise.all([
      prisma.asset.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.asset.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toTokenRecord), total, query) };
  },
});
