// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findProject } from '../../management/find-project.ts';
import { projectParams, projectSchema, toProjectRecord } from '../../records/project.ts';

export const getProject = defineRoute({
  method: 'GET',
  path: '/management/projects/:project_id',
  permission: 'mgt:project:read',
  summary: 'One project',
  params: projectParams,
  responses: { 200: projectSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: toProjectRecord(await findProject(deps, principal, params.project_id)),
  }),
});
