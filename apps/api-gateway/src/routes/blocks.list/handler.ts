import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import {
  integerParameter,
  listParameter,
  offsetOf,
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
import { toOrders } from '../../records/order.ts';

const COLUMNS = { number: 'number', chain_gid: 'chainGid', status: 'status' } as const;

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
  handle: async ({ query }, { prisma, db }) => {
    const chains = query.chain_gids?.map(normalizeChainGid);
    const where: Prisma.BlockWhereInput = {
      chainGid: chains && { in: chains },
      status: { in: [...(query.statuses ?? LISTED)] },
      number: { gte: query.from_block, lte: query.to_block },
    };
    const total = await countBlocks({ prisma, db }, where, { ...query, chains });
    const orderBy = toOrders(query.sort_by, COLUMNS, ['number', 'id']);
    const skip = offsetOf(query);
    const rows =
      skip >= total
        ? []
        : chains && chains.length > 1 && query.sort_by.endsWith('number')
          ? await readOfChains({ prisma, db }, query, chains)
          : await prisma.block.findMany({ where, orderBy, skip, take: query.limit });
    return { status: 200, body: toPage(rows.map(toBlockRecord), total, query) };
  },
});

/**
 * Reads the chains one by one: heights of different chains are far apart, and an index returns the blocks of each chain
 * in order, but not those of several.
 */
async function readOfChains(
  { prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>,
  query: BlockQuery,
  chains: readonly string[],
) {
  const { statuses, from_block: from = 0, to_block: to = Number.MAX_SAFE_INTEGER } = query;
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
  const where = 'status = ANY ($2) AND number >= $3 AND number <= $4';
  const source = {
    table: 'blocks',
    id: 'id',
    key: 'chain_gid',
    type: 'text',
    values: [...new Set(chains)],
    where,
    parameters: [statuses ?? LISTED, from, to],
  } as const;
  const ids = await readIdsByValue(db, source, {
    column: 'number',
    direction,
    offset: offsetOf(query),
    limit: query.limit,
  });
  const rows = new Map(
    (await prisma.block.findMany({ where: { id: { in: ids.map(BigInt) } } })).map((row) => [
      Number(row.id),
      row,
    ]),
  );
  return ids.flatMap((id) => rows.get(Number(id)) ?? []);
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
