// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import { statementSchema, statementStatusSchema, toStatementRecord } from '../../records/statement.ts';
import { defineRoute } from '../../define-route.ts';

export const listStatements = defineRoute({
  method: 'GET',
  path: '/statements',
  permission: 'api:statement:read',
  reads: 'standby',
  summary: 'Statements of the project',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at'], '-created_at'),
    statuses: listParameter(statementStatusSchema),
  }),
  responses: { 200: pageSchema(statementSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'statements',
      id: 'id',
      wanted: { project_id: [principal.projectId], status: query.statuses },
      matches: () => ['(expires_at IS NULL OR expires_at > now())'],
      order: toListOrder(query.sort_by, { created_at: { name: 'created_at', type: 'timestamptz' } }, [
        { name: 'id', type: 'uuid' },
      ]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.statement.findMany({ where: { id: { in: ids } } })).map(
        toStatementRecord,
      );
    const call = { principal, name: 'statements', query };
    return { status: 200, body: await readList(deps, { call, list, read }) };
  },
});
