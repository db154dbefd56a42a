import { transactionRecord } from '@chainwatch/events';
import { pageSchema, toPage } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { queryTransactions } from './query-transactions.ts';
import { transactionQuery } from './transaction-query.ts';

export const listTransactions = defineRoute({
  method: 'GET',
  path: '/transactions',
  permission: 'api:transaction:read',
  summary: 'Transactions of monitored addresses of the project',
  query: transactionQuery,
  responses: { 200: pageSchema(transactionRecord) },
  handle: async ({ query, principal }, deps) => {
    const { items, total } = await queryTransactions(deps.db, principal.projectId, query);
    return { status: 200, body: toPage(items, total, query) };
  },
});
