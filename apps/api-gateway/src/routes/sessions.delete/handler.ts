// SPDX-License-Identifier: Apache-2.0
import { removedSessionCookie } from '../../auth/session-cookie.ts';
import { defineRoute } from '../../define-route.ts';

export const deleteSession = defineRoute({
  method: 'DELETE',
  path: '/session',
  permission: 'any',
  summary: 'Sign out: the session ends, and the answer removes the cookie',
  responses: { 204: undefined },
  handle: async ({ principal: { sessionId, endsAtMs } }, { db }) => {
    if (sessionId !== undefined && endsAtMs !== undefined)
      await db.query('INSERT INTO ended_sessions (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        sessionId,
        new Date(endsAtMs),
      ]);
    return { status: 204, cookie: removedSessionCookie() };
  },
});
