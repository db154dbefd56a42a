// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import { LIVE_RECONCILIATIONS } from '../../reconciliations/find-reconciliation.ts';
import { reconciliationSchema, toReconciliationRecord } from '../../records/reconciliation.ts';
import { defineRoute } from '../../define-route.ts';

const ORDERS = { created_at: { name: 'created_at', type: 'timestamptz' } } as const;

export const listReconciliations = defineRoute({
  method: 'GET',
  path: '/reconciliations',
  permission: 'api:reconciliation:read',
  reads: 'standby',
  summary: 'Reconciliations of the project',
  query: z.strictObject({ ...pageParameters, sort_by: sortParameter(['created_at'], '-created_at') }),
  responses: { 200: pageSchema(reconciliationSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: LIVE_RECONCILIATIONS,
      id: 'id',
      wanted: { project_id: [principal.projectId] },
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.reconciliation.findMany({ where: { id: { in: ids } } })).map(
        toReconciliationRecord,
      );
    const call = { principal, name: 'reconciliations', query };
    return { status: 200, body: await readList(deps, { call, list, read }) };
  },
});
