// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { integerParameter } from '@chainwatch/platform/http';
import { notFound } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { readBlocksAt } from '../../blocks/read-blocks.ts';
import { blockSchema, toBlockRecord } from '../../records/block.ts';

export const getBlock = defineRoute({
  method: 'GET',
  path: '/blocks/:chain_gid/:block_number',
  permission: 'api:block:read',
  summary: 'The block at a height: the canonical one, else the orphan seen last',
  params: z.object({
    chain_gid: chainGidSchema,
    block_number: integerParameter(0).meta({
      description: 'Height of the block, on Solana the slot.',
      examples: [21_000_000],
    }),
  }),
  responses: { 200: blockSchema },
  handle: async ({ params }, { db }) => {
    const chainGid = normalizeChainGid(params.chain_gid);
    const rows = await readBlocksAt(db, chainGid, params.block_number);
    const row = rows.find(({ status }) => status !== 'reorged') ?? rows[0];
    if (!row || row.status === 'skipped')
      throw notFound(`There is no block ${params.block_number} of ${chainGid}.`);
    return { status: 200, body: toBlockRecord(row) };
  },
});
