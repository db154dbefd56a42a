import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { transactionRecord } from '@chainwatch/events';
import { notFound } from '@chainwatch/problem';
import { defineRoute } from '../../server/define-route.ts';
import { readRecords } from '../transactions.list/query-transactions.ts';
import { hashSchema } from '../transactions.list/transaction-query.ts';

export const getTransactionByHash = defineRoute({
  method: 'GET',
  path: '/transactions/:chain_gid/:hash',
  permission: 'api:transaction:read',
  summary: 'One transaction of the project, by its chain and its hash',
  params: z.object({
    chain_gid: chainGidSchema,
    hash: hashSchema.meta({
      description: 'The hash of the transaction, as the chain writes it.',
      examples: ['0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'],
    }),
  }),
  responses: { 200: transactionRecord },
  handle: async ({ params: { chain_gid, hash }, principal }, { db }) => {
    const chainGid = normalizeChainGid(chain_gid);
    // Hexadecimal hashes are kept in lower case; in others the case counts.
    const { rows } = await db.query<{ id: string }>(
      'SELECT id FROM transactions WHERE project_id = $1 AND chain_gid = $2 AND hash = ANY ($3) ORDER BY hash = $4 DESC LIMIT 1',
      [principal.projectId, chainGid, [hash, hash.toLowerCase()], hash],
    );
    const [record] = await readRecords(
      db,
      rows.map(({ id }) => id),
    );
    if (!record) throw notFound(`There is no transaction ${hash} of ${chainGid} in this project.`);
    return { status: 200, body: record };
  },
});
