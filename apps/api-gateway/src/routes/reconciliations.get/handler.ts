// SPDX-License-Identifier: Apache-2.0
import { findReconciliation } from '../../reconciliations/find-reconciliation.ts';
import {
  reconciliationParams,
  reconciliationSchema,
  toReconciliationRecord,
} from '../../records/reconciliation.ts';
import { defineRoute } from '../../define-route.ts';

export const getReconciliation = defineRoute({
  method: 'GET',
  path: '/reconciliations/:reconciliation_id',
  permission: 'api:reconciliation:read',
  summary: 'One reconciliation: how far it is, and how many rows there are of each class',
  params: reconciliationParams,
  responses: { 200: reconciliationSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: toReconciliationRecord(await findReconciliation(deps, principal, params.reconciliation_id)),
  }),
});
