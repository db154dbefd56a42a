import { transactionRecord } from '@chainwatch/events';
import { pageSchema } from '@chainwatch/http';
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
  handle: async ({ query, principal }, deps) => ({
    status: 200,
    body: await queryTransactions(deps, principal, query),
  }),
});
