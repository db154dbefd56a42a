// SPDX-License-Identifier: Apache-2.0
import { statementParams, statementSchema, toStatementRecord } from '../../records/statement.ts';
import { defineRoute } from '../../define-route.ts';
import { findStatement } from '../../statements/find-statement.ts';

export const getStatement = defineRoute({
  method: 'GET',
  path: '/statements/:statement_id',
  permission: 'api:statement:read',
  reads: 'standby',
  summary: 'A statement: how far it is, and its signature once it is completed',
  params: statementParams,
  responses: { 200: statementSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: toStatementRecord(await findStatement(deps, principal, params.statement_id)),
  }),
});
