// SPDX-License-Identifier: Apache-2.0
import { notFound } from '@chainwatch/common/problem';
import { recordChange } from '../../management/record-change.ts';
import { reconciliationParams } from '../../records/reconciliation.ts';
import { defineRoute } from '../../define-route.ts';

export const deleteReconciliation = defineRoute({
  method: 'DELETE',
  path: '/reconciliations/:reconciliation_id',
  permission: 'api:reconciliation:write',
  summary: 'Delete a reconciliation with its rows; one that is under way ends',
  params: reconciliationParams,
  responses: { 204: undefined },
  handle: async ({ params: { reconciliation_id: id }, principal, requestId }, { db }) => {
    await db.transaction(async (sql) => {
      // A worker removes the rows.
      const { rows } = await sql.query<{ name: string | null }>(
        'UPDATE reconciliations SET expires_at = now() WHERE id = $1 AND project_id = $2 AND expires_at > now() RETURNING name',
        [id, principal.projectId],
      );
      if (rows.length === 0) throw notFound(`There is no reconciliation ${id} in this project.`);
      const author = { principal, requestId };
      await recordChange(sql, author, { action: 'reconciliation.deleted', targetId: id, from: rows[0]! });
    });
    return { status: 204 };
  },
});
