// SPDX-License-Identifier: Apache-2.0
import { recordChange } from '../../management/record-change.ts';
import { statementParams, type StatementRequest } from '../../records/statement.ts';
import { defineRoute } from '../../define-route.ts';
import { missingStatement } from '../../statements/find-statement.ts';
import { shownRequest } from '../../statements/shown-request.ts';

export const deleteStatement = defineRoute({
  method: 'DELETE',
  path: '/statements/:statement_id',
  permission: 'api:statement:write',
  summary: 'Delete a statement with its document; one that is being written ends',
  params: statementParams,
  responses: { 204: undefined },
  handle: async ({ params, principal, requestId }, deps) => {
    const id = params.statement_id;
    await deps.db.transaction(async (sql) => {
      const { rows } = await sql.query<{ request: StatementRequest; format: string; sha256: string | null }>(
        `DELETE FROM statements WHERE id = $1 AND project_id = $2 AND (expires_at IS NULL OR expires_at > now())
         RETURNING request, format, sha256`,
        [id, principal.projectId],
      );
      const [from] = rows;
      if (from === undefined) throw missingStatement(id);
      const { request, ...rest } = from;
      const change = {
        action: 'statement.deleted',
        targetId: id,
        from: { ...shownRequest(request), ...rest },
      } as const;
      await recordChange(sql, { principal, requestId }, change);
    });
    return { status: 204 };
  },
});
