// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findProject } from '../../management/find-project.ts';
import { requireQuota } from '../../management/take-quota.ts';
import { recordChange } from '../../management/record-change.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { projectSchema, toProjectRecord } from '../../records/project.ts';

export const createProject = defineRoute({
  method: 'POST',
  path: '/management/projects',
  permission: 'mgt:project:write',
  summary: 'Add a project to the workspace',
  body: z.strictObject({ name: nameSchema }),
  example: { name: 'Shop' },
  responses: { 201: projectSchema },
  problems: [422],
  handle: async ({ body, principal, requestId }, deps) => {
    const id = await deps.db.transaction(async (sql) => {
      await requireQuota(sql, principal.workspaceId, 'projects');
      const { rows } = await sql.query<{ id: string }>(
        'INSERT INTO projects (workspace_id, name) VALUES ($1, $2) RETURNING id',
        [principal.workspaceId, body.name],
      );
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'project.created', targetId: rows[0]!.id, to: body },
      );
      return rows[0]!.id;
    });
    return {
      status: 201,
      body: toProjectRecord(await findProject(deps, principal, id)),
      location: `/management/projects/${id}`,
    };
  },
});
