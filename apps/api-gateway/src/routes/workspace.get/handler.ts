// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findWorkspace } from '../../management/find-workspace.ts';
import { toWorkspaceRecord, workspaceSchema } from '../../records/workspace.ts';

export const getWorkspace = defineRoute({
  method: 'GET',
  path: '/management/workspace',
  permission: 'mgt:workspace:read',
  summary: 'The workspace of the key',
  responses: { 200: workspaceSchema },
  handle: async ({ principal }, deps) => ({
    status: 200,
    body: toWorkspaceRecord(await findWorkspace(deps, principal)),
  }),
});
