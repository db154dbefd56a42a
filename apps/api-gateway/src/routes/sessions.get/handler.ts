// SPDX-License-Identifier: Apache-2.0
import { describeSession } from '../../auth/describe-session.ts';
import { sessionSchema } from '../../records/session.ts';
import { defineRoute } from '../../define-route.ts';

export const getSession = defineRoute({
  method: 'GET',
  path: '/session',
  permission: 'any',
  summary: 'Who asks, with a session or a key, and on which projects it may act',
  responses: { 200: sessionSchema },
  handle: async ({ principal }, deps) => ({ status: 200, body: await describeSession(deps, principal) }),
});
