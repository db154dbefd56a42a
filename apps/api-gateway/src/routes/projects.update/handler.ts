// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findProject, lockProject } from '../../management/find-project.ts';
import { recordChange } from '../../management/record-change.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { projectParams, projectSchema, toProjectRecord } from '../../records/project.ts';

export const updateProject = defineRoute({
  method: 'PATCH',
  path: '/management/projects/:project_id',
  permission: 'mgt:project:write',
  summary: 'Rename a project',
  params: projectParams,
  body: z.strictObject({ name: nameSchema }),
  example: { name: 'Shop' },
  responses: { 200: projectSchema },
  handle: async ({ params, body, principal, requestId }, deps) => {
    const id = params.project_id;
    await deps.db.transaction(async (sql) => {
      const from = await lockProject(sql, { principal, id, strength: 'NO KEY UPDATE' });
      if (from.name === body.name) return;
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'project.updated', targetId: id, from, to: body },
      );
      await sql.query('UPDATE projects SET name = $2, updated_at = now() WHERE id = $1', [id, body.name]);
    });
    return { status: 200, body: toProjectRecord(await findProject(deps, principal, id)) };
  },
});
