// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { notFound } from '@chainwatch/common/problem';
import { transactionSchema } from '../../records/transaction.ts';
import { defineRoute } from '../../define-route.ts';
import { hashSchema } from '../transactions.list/transaction-query.ts';
import { findByHash } from './find-by-hash.ts';

export const hashParams = z.object({
  chain_gid: chainGidSchema,
  hash: hashSchema.meta({
    description: 'The hash of the transaction, as the chain writes it.',
    examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
  }),
});

export const getTransactionByHash = defineRoute({
  method: 'GET',
  path: '/transactions/:chain_gid/:hash',
  permission: 'api:transaction:read',
  summary: 'One transaction of the project, by its chain and its hash',
  params: hashParams,
  responses: { 200: transactionSchema },
  handle: async ({ params: { chain_gid, hash }, principal }, { db }) => {
    const chainGid = normalizeChainGid(chain_gid);
    const record = await findByHash(db, { projectId: principal.projectId, chainGid, hash });
    if (!record) throw notFound(`There is no transaction ${hash} of ${chainGid} in this project.`);
    return { status: 200, body: record };
  },
});
