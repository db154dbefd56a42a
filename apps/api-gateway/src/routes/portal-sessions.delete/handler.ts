// SPDX-License-Identifier: Apache-2.0
import { recordChange } from '../../management/record-change.ts';
import { missingPortalSession } from '../../portal-sessions/find-portal-session.ts';
import { portalSessionParams } from '../../records/portal-session.ts';
import { defineRoute } from '../../define-route.ts';

interface EndedRow {
  readonly channel_ids: string[];
  readonly permissions: string[];
  readonly frame_origins: string[];
  readonly expires_at: Date;
}

export const deletePortalSession = defineRoute({
  method: 'DELETE',
  path: '/portal_sessions/:portal_session_id',
  permission: 'api:notification_channel:write',
  summary: 'End a portal session at once',
  params: portalSessionParams,
  responses: { 204: undefined },
  handle: async ({ params, principal, requestId }, deps) => {
    const id = params.portal_session_id;
    await deps.db.transaction(async (sql) => {
      const { rows } = await sql.query<EndedRow>(
        `DELETE FROM portal_sessions WHERE id = $1 AND project_id = $2 AND expires_at > now()
         RETURNING channel_ids, permissions, frame_origins, expires_at`,
        [id, principal.projectId],
      );
      const [from] = rows;
      if (from === undefined) throw missingPortalSession(id);
      const change = { action: 'portal_session.deleted', targetId: id, from: { ...from } } as const;
      await recordChange(sql, { principal, requestId }, change);
    });
    return { status: 204 };
  },
});
