import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../contains-text.ts';
import { defineRoute } from '../../define-route.ts';
import { NOBODY, sumCounts } from '../../lists/sum-counts.ts';
import { assetNamespaceSchema } from '../../records/asset.ts';
import { toOrders } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema, tokenTypeSchema } from '../../records/token.ts';

const columns = { created_at: 'createdAt', gid: 'gid', name: 'name', symbol: 'symbol' } as const;

/** Contracts that are no token are left out. */
const LISTED = ['active', 'unknown'] as const;

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
  handle: async ({ query }, { prisma, db }) => {
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const chains = query.chain_gids?.map(normalizeChainGid);
    const where: Prisma.AssetWhereInput = {
      chainGid: chains && { in: chains },
      namespace: query.namespaces && { in: query.namespaces },
      type: query.type,
      status: { in: [...LISTED] },
      archivedAt: null,
      OR: matches && [{ name: matches }, { symbol: matches }, { reference: matches }],
    };
    const kept = [chains, query.namespaces, query.type && [query.type], LISTED, ['false']];
    const total = matches ? await prisma.asset.count({ where }) : await sumCounts(db, { scope: NOBODY, list: 'assets' }, kept);
    const orderBy = toOrders(query.sort_by, columns, ['gid']);
    const rows = offsetOf(query) < total ? await prisma.asset.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }) : [];
    return { status: 200, body: toPage(rows.map(toTokenRecord), total, query) };
  },
});
