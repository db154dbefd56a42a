import { removedSessionCookie } from '../../auth/session-cookie.ts';
import { defineRoute } from '../../server/define-route.ts';

export const deleteSession = defineRoute({
  method: 'DELETE',
  path: '/session',
  permission: 'any',
  summary: 'Sign out: the answer removes the cookie',
  responses: { 204: undefined },
  handle: async () => ({ status: 204, cookie: removedSessionCookie() }),
});
