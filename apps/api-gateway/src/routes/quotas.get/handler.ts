// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { quotasSchema, readQuotas, workspaceParams } from '../../records/quotas.ts';

export const getQuotas = defineRoute({
  method: 'GET',
  path: '/management/workspaces/:workspace_id/quotas',
  permission: 'mgt:quota:read',
  summary: "What a workspace may have, and what it has; for the operator's keys",
  params: workspaceParams,
  responses: { 200: quotasSchema },
  handle: async ({ params }, deps) => ({
    status: 200,
    body: await readQuotas(deps.db, params.workspace_id),
  }),
});
