// SPDX-License-Identifier: Apache-2.0
import { pageSchema } from '@chainwatch/platform/http';
import { transactionSchema } from '../../records/transaction.ts';
import { defineRoute } from '../../define-route.ts';
import { exportTypes } from '../../lists/export-formats.ts';
import { openTransactions, queryTransactions } from './query-transactions.ts';
import { transactionQuery } from './transaction-query.ts';

export const listTransactions = defineRoute({
  method: 'GET',
  path: '/transactions',
  permission: 'api:transaction:read',
  reads: 'standby',
  summary: 'Transactions of monitored addresses of the project',
  query: transactionQuery,
  responses: { 200: pageSchema(transactionSchema) },
  alternatives: exportTypes(transactionSchema),
  handle: async ({ query, principal, mediaType }, deps) =>
    (await deps.exports.answer({
      ...{ mediaType, record: transactionSchema, principal, query, deps },
      open: ({ db }) => openTransactions(db, principal, query),
    })) ?? { status: 200, body: await queryTransactions(deps, principal, query) },
});
