import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import {
  integerParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/http';
import type { ApiDeps } from '../../server/api-deps.ts';
import { defineRoute } from '../../server/define-route.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { NOBODY, sumCounts } from '../../lists/sum-counts.ts';
import { blockSchema, blockStatusSchema, toBlockRecord } from '../../records/block.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { openPager, type ListedRow, type Range } from '../../lists/pager.ts';
import { inOrder, readRows, type List } from '../../lists/read-list.ts';
import type { Sql } from '@chainwatch/db';

const NUMBER = { name: 'number', type: 'bigint' } as const;
const ORDERS = {
  number: NUMBER,
  chain_gid: { name: 'chain_gid', type: 'text' },
  status: { name: 'status', type: 'text' },
} as const;

/** Skipped numbers are shown only to those who ask for them. */
const LISTED = ['new', 'processed', 'confirmed', 'reorged'] as const;

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['number', 'chain_gid', 'status'], '-number'),
  chain_gids: listParameter(chainGidSchema),
  statuses: listParameter(blockStatusSchema),
  from_block: integerParameter(0).optional(),
  to_block: integerParameter(0).optional(),
});
type BlockQuery = z.infer<typeof querySchema>;

export const listBlocks = defineRoute({
  method: 'GET',
  path: '/blocks',
  permission: 'api:block:read',
  summary: 'Blocks with their processing statuses',
  query: querySchema,
  responses: { 200: pageSchema(blockSchema) },
  handle: async ({ query, principal }, { prisma, db, sealer }) => {
    const chains = query.chain_gids?.map(normalizeChainGid);
    const where: Prisma.BlockWhereInput = {
      chainGid: chains && { in: chains },
      status: { in: [...(query.statuses ?? LISTED)] },
      number: { gte: query.from_block, lte: query.to_block },
    };
    const total = await countBlocks({ prisma, db }, where, { ...query, chains });
    const pager = openPager({ sealer, principal, list: 'blocks', query });
    const isByChain = chains !== undefined && chains.length > 1 && query.sort_by.endsWith('number');
    const readPage = isByChain ? readOfChains : readOrdered;
    const found =
      pager.range.offset < total ? await readPage(db, { ...query, chains: chains ?? [] }, pager.range) : [];
    const { rows, nextCursor } = pager.close(found);
    const ids = rows.map(({ id }) => id);
    const blocks = inOrder(
      ids,
      await prisma.block.findMany({ where: { id: { in: ids.map((id) => BigInt(id)) } } }),
    );
    return { status: 200, body: toPage(blocks.map(toBlockRecord), { total, request: query, nextCursor }) };
  },
});

type BlockSearch = BlockQuery & { readonly chains: readonly string[] };

function readOrdered(db: Sql, query: BlockSearch, range: Range): Promise<readonly ListedRow[]> {
  const { statuses, chains, from_block: from, to_block: to } = query;
  const list: List = {
    from: 'blocks',
    id: 'id',
    wanted: { chain_gid: chains.length === 0 ? undefined : chains, status: statuses ?? LISTED },
    matches: (add) => [
      ...(from === undefined ? [] : [`number >= ${add(from)}`]),
      ...(to === undefined ? [] : [`number <= ${add(to)}`]),
    ],
    order: toListOrder(query.sort_by, ORDERS, [NUMBER, { name: 'id', type: 'bigint' }]),
  };
  return readRows(db, list, range);
}

/**
 * Reads the chains one by one: heights of different chains are far apart, and an index returns the blocks of each chain
 * in order, but not those of several.
 */
function readOfChains(db: Sql, query: BlockSearch, range: Range): Promise<readonly ListedRow[]> {
  const { statuses, chains, from_block: from = 0, to_block: to = Number.MAX_SAFE_INTEGER } = query;
  const source = {
    table: 'blocks',
    id: 'id',
    key: 'chain_gid',
    type: 'text',
    values: [...new Set(chains)],
    where: 'status = ANY ($2) AND number >= $3 AND number <= $4',
    parameters: [statuses ?? LISTED, from, to],
  } as const;
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
  return readIdsByValue(db, { source, order: { column: 'number', direction }, page: range });
}

interface BlockFilters {
  readonly chains: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly from_block?: number | undefined;
  readonly to_block?: number | undefined;
}

async function countBlocks(
  { prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>,
  where: Prisma.BlockWhereInput,
  filters: BlockFilters,
): Promise<number> {
  const { chains, statuses, from_block: from, to_block: to } = filters;
  if (from === undefined && to === undefined)
    return sumCounts(db, { scope: NOBODY, list: 'blocks' }, [chains, statuses ?? LISTED]);
  return prisma.block.count({ where });
}
