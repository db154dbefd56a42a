// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Sql } from '@chainwatch/data/db';
import {
  integerParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/platform/http';
import { countBlocks, type BlockSearch } from '../../blocks/block-search.ts';
import { readBlockPage } from '../../blocks/read-block-page.ts';
import { readBlocks } from '../../blocks/read-blocks.ts';
import { defineRoute } from '../../define-route.ts';
import { NOBODY, sumCounts } from '../../lists/sum-counts.ts';
import { blockSchema, blockStatusSchema, toBlockRecord } from '../../records/block.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { openPager } from '../../lists/pager.ts';

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

export const listBlocks = defineRoute({
  method: 'GET',
  path: '/blocks',
  permission: 'api:block:read',
  reads: 'standby',
  summary: 'Blocks with their processing statuses',
  query: querySchema,
  responses: { 200: pageSchema(blockSchema) },
  handle: async ({ query, principal }, { db, sealer }) => {
    const search: BlockSearch = {
      chains: query.chain_gids?.map(normalizeChainGid),
      statuses: query.statuses ?? LISTED,
      from: query.from_block,
      to: query.to_block,
    };
    const total = await findTotal(db, search);
    const pager = openPager({ sealer, principal, list: 'blocks', query });
    const order = toListOrder(query.sort_by, ORDERS, [NUMBER, { name: 'id', type: 'bigint' }]);
    const { range } = pager;
    const found = range.offset < total ? await readBlockPage(db, { search, order, range }) : [];
    const { rows, nextCursor } = pager.close(found);
    const blocks = await readBlocks(db, rows);
    return { status: 200, body: toPage(blocks.map(toBlockRecord), { total, request: query, nextCursor }) };
  },
});

async function findTotal(db: Sql, search: BlockSearch): Promise<number> {
  const { chains, statuses, from, to } = search;
  if (from === undefined && to === undefined)
    return sumCounts(db, { scope: NOBODY, list: 'blocks' }, [chains, statuses]);
  return countBlocks(db, search);
}
