import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { booleanParameter, listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../define-route.ts';
import { NOBODY, sumCounts } from '../../lists/sum-counts.ts';
import { assetNamespaceSchema, assetSchema, assetStatusSchema, toAssetRecord } from '../../records/asset.ts';
import { toOrders } from '../../records/order.ts';

const columns = { gid: 'gid', namespace: 'namespace', reference: 'reference', status: 'status', created_at: 'createdAt' } as const;

export const listAssets = defineRoute({
  method: 'GET',
  path: '/assets',
  summary: 'Assets discovered or registered; archived ones only with is_archived=true',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['gid', 'namespace', 'reference', 'status', 'created_at'], '-created_at'),
    chain_gids: listParameter(chainGidSchema),
    namespaces: listParameter(assetNamespaceSchema),
    statuses: listParameter(assetStatusSchema),
    is_archived: booleanParameter.default(false),
  }),
  responses: { 200: pageSchema(assetSchema) },
  handle: async ({ query }, { prisma, db }) => {
    const chains = query.chain_gids?.map(normalizeChainGid);
    const where: Prisma.AssetWhereInput = {
      chainGid: chains && { in: chains },
      namespace: query.namespaces && { in: query.namespaces },
      status: query.statuses && { in: query.statuses },
      archivedAt: query.is_archived ? { not: null } : null,
    };
    const total = await sumCounts(db, { scope: NOBODY, list: 'assets' }, [chains, query.namespaces, undefined, query.statuses, [String(query.is_archived)]]);
    const orderBy = toOrders(query.sort_by, columns, ['gid']);
    const rows = offsetOf(query) < total ? await prisma.asset.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }) : [];
    return { status: 200, body: toPage(rows.map(toAssetRecord), total, query) };
  },
});
