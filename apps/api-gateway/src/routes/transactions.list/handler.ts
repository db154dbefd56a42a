import { transactionRecord } from '@chainwatch/events';
import { pageSchema } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { exportTypes } from '../../lists/export-formats.ts';
import { openTransactions, queryTransactions } from './query-transactions.ts';
import { transactionQuery } from './transaction-query.ts';

export const listTransactions = defineRoute({
  method: 'GET',
  path: '/transactions',
  permission: 'api:transaction:read',
  summary: 'Transactions of monitored addresses of the project',
  query: transactionQuery,
  responses: { 200: pageSchema(transactionRecord) },
  alternatives: exportTypes(transactionRecord),
  handle: async ({ query, principal, mediaType }, deps) =>
    (await deps.exports.answer({
      ...{ mediaType, record: transactionRecord, principal, query },
      open: () => openTransactions(deps.db, principal, query),
    })) ?? { status: 200, body: await queryTransactions(deps, principal, query) },
});
