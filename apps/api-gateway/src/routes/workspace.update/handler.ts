// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { findWorkspace } from '../../management/find-workspace.ts';
import { recordChange } from '../../management/record-change.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { toWorkspaceRecord, workspaceSchema } from '../../records/workspace.ts';

export const updateWorkspace = defineRoute({
  method: 'PATCH',
  path: '/management/workspace',
  permission: 'mgt:workspace:write',
  summary: 'Rename the workspace',
  body: z.strictObject({ name: nameSchema }),
  example: { name: 'Acme' },
  responses: { 200: workspaceSchema },
  handle: async ({ body, principal, requestId }, deps) => {
    const id = principal.workspaceId;
    await deps.db.transaction(async (sql) => {
      const { rows } = await sql.query<{ name: string }>(
        'SELECT name FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
        [id],
      );
      if (rows[0]?.name === body.name) return;
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'workspace.updated', targetId: id, from: rows[0], to: body },
      );
      await sql.query('UPDATE workspaces SET name = $2, updated_at = now() WHERE id = $1', [id, body.name]);
    });
    return { status: 200, body: toWorkspaceRecord(await findWorkspace(deps, principal)) };
  },
});
