import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import type { ApiDeps } from '../../api-deps.ts';
import { defineRoute } from '../../define-route.ts';
import { searchRows } from '../../lists/search-rows.ts';
import { NOBODY, sumCounts } from '../../lists/sum-counts.ts';
import { assetNamespaceSchema } from '../../records/asset.ts';
import { toOrders } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema, tokenTypeSchema } from '../../records/token.ts';

const columns = { created_at: 'createdAt', gid: 'gid', name: 'name', symbol: 'symbol' } as const;

/** Contracts that are no token are left out. */
const LISTED = ['active', 'unknown'] as const;

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['created_at', 'gid', 'name', 'symbol'], '-created_at'),
  chain_gids: listParameter(chainGidSchema),
  namespaces: listParameter(assetNamespaceSchema),
  type: tokenTypeSchema.optional(),
  search: searchSchema,
});
type TokenQuery = z.infer<typeof querySchema>;

export const listTokens = defineRoute({
  method: 'GET',
  path: '/tokens',
  summary: 'Native coins and tokens; archived ones and contracts that are no token are left out',
  query: querySchema,
  responses: { 200: pageSchema(tokenSchema) },
  handle: async ({ query }, { prisma, db }) => {
    const chains = query.chain_gids?.map(normalizeChainGid);
    const { rows, total } = query.search === undefined ? await readPage({ prisma, db }, query, chains) : await search({ prisma, db }, query, chains, query.search);
    return { status: 200, body: toPage(rows.map(toTokenRecord), total, query) };
  },
});

async function readPage({ prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>, query: TokenQuery, chains: readonly string[] | undefined) {
  const total = await sumCounts(db, { scope: NOBODY, list: 'assets' }, [chains, query.namespaces, query.type && [query.type], LISTED, ['false']]);
  if (offsetOf(query) >= total) return { rows: [], total };
  const where: Prisma.AssetWhereInput = {
    chainGid: chains && { in: [...chains] },
    namespace: query.namespaces && { in: query.namespaces },
    type: query.type,
    status: { in: [...LISTED] },
    archivedAt: null,
  };
  return { rows: await prisma.asset.findMany({ where, orderBy: toOrders(query.sort_by, columns, ['gid']), skip: offsetOf(query), take: query.limit }), total };
}

async function search({ prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>, query: TokenQuery, chains: readonly string[] | undefined, text: string) {
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
  const { ids, total } = await searchRows(db, {
    table: 'assets',
    id: 'gid',
    texts: ['name', 'symbol', 'reference'],
    text,
    wanted: { chain_gid: chains, namespace: query.namespaces, type: query.type && [query.type], status: LISTED, '(archived_at IS NULL)': [true] },
    order: `${query.sort_by.replace('-', '')} ${direction}, gid ${direction}`,
    offset: offsetOf(query),
    limit: query.limit,
  });
  const rows = new Map((await prisma.asset.findMany({ where: { gid: { in: ids } } })).map((row) => [row.gid, row]));
  return { rows: ids.flatMap((gid) => rows.get(gid) ?? []), total };
}
