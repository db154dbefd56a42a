// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { conflict } from '@chainwatch/common/problem';
import { exportTypes } from '../../lists/export-formats.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { readList, readRows, type List } from '../../lists/read-list.ts';
import { findReconciliation } from '../../reconciliations/find-reconciliation.ts';
import { classSchema, reconciliationParams } from '../../records/reconciliation.ts';
import { readReconciliationRows, reconciliationRowSchema } from '../../records/reconciliation-row.ts';
import { defineRoute } from '../../define-route.ts';

const ORDERS = { row: { name: 'id', type: 'bigint' } } as const;

export const listReconciliationRows = defineRoute({
  method: 'GET',
  path: '/reconciliations/:reconciliation_id/rows',
  permission: 'api:reconciliation:read',
  reads: 'standby',
  summary: 'What came of each row of a ledger, in the order of its lines, then the movements that it lacks',
  params: reconciliationParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['row'], 'row'),
    class: listParameter(classSchema).meta({
      description: 'Only rows of these classes.',
      examples: [['missing_in_books', 'amount_differs']],
    }),
  }),
  responses: { 200: pageSchema(reconciliationRowSchema) },
  alternatives: exportTypes(reconciliationRowSchema),
  handle: async ({ params, query, principal, mediaType }, deps) => {
    const { id, status } = await findReconciliation(deps, principal, params.reconciliation_id);
    // The primary may have told that it is completed, and rows may be missing here: then the primary answers.
    if (deps.primary !== undefined && (status === 'receiving' || status === 'matching'))
      throw conflict(`The standby has the reconciliation ${id} as ${status}.`);
    const list: List = {
      from: 'reconciliation_rows',
      id: 'id',
      wanted: { reconciliation_id: [id], class: query.class },
      order: toListOrder(query.sort_by, ORDERS, []),
    };
    const exported = await deps.exports.answer({
      ...{ mediaType, record: reconciliationRowSchema, principal, query, deps },
      open: async ({ db }) => ({
        find: (range) => readRows(db, list, range),
        read: (ids) => readReconciliationRows(db, ids),
        weight: { table: 'reconciliation_rows', idType: 'bigint', bytes: '1500' },
      }),
    });
    if (exported !== undefined) return exported;
    const read = (ids: string[]) => readReconciliationRows(deps.db, ids);
    const call = { principal, name: `reconciliation_rows ${id}`, query };
    return { status: 200, body: await readList(deps, { call, list, read }) };
  },
});
