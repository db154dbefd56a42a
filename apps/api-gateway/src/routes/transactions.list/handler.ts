import { z } from 'zod';
import { positiveDecimalSchema } from '@chainwatch/amounts';
import { assetGidSchema, chainGidSchema } from '@chainwatch/caip';
import { transactionRecord } from '@chainwatch/events';
import {
  integerParameter,
  listParameter,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { timestampSchema, untilSchema } from '../../records/path-schemas.ts';
import { queryTransactions } from './query-transactions.ts';
import { toTransactionRecord } from './to-transaction-record.ts';

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['detected_at', 'block_number'], '-detected_at'),
  chain_gids: listParameter(chainGidSchema),
  addresses: listParameter(z.string().min(1).max(128)),
  asset_gids: listParameter(assetGidSchema),
  statuses: listParameter(z.enum(['pending', 'detected', 'confirmed', 'reorged', 'failed'])),
  direction: z.enum(['in', 'out', 'self']).optional(),
  hash: z
    .string()
    .regex(/^[0-9a-zA-Z]{1,128}$/, 'expected a transaction hash')
    .optional(),
  from_block: integerParameter(0).optional(),
  to_block: integerParameter(0).optional(),
  since: timestampSchema.optional(),
  until: untilSchema.optional(),
  min_amount: positiveDecimalSchema.max(160).optional(),
  public_key_id: z.uuid().optional(),
});
export type TransactionQuery = z.infer<typeof querySchema>;

export const listTransactions = defineRoute({
  method: 'GET',
  path: '/transactions',
  summary: 'Transactions of monitored addresses of the project',
  query: querySchema,
  responses: { 200: pageSchema(transactionRecord) },
  handle: async ({ query, principal }, deps) => {
    const { rows, transfers, total } = await queryTransactions(deps.db, principal.projectId, query);
    const items = await Promise.all(rows.map((row) => toTransactionRecord(row, transfers.get(row.id) ?? [])));
    return { status: 200, body: toPage(items, total, query) };
  },
});
