// SPDX-License-Identifier: Apache-2.0
import { findPortalSession } from '../../portal-sessions/find-portal-session.ts';
import { portalSessionParams, portalSessionSchema } from '../../records/portal-session.ts';
import { defineRoute } from '../../define-route.ts';

export const getPortalSession = defineRoute({
  method: 'GET',
  path: '/portal_sessions/:portal_session_id',
  permission: 'api:notification_channel:read',
  isForPortals: true,
  summary: 'One portal session that has not ended, without its token',
  params: portalSessionParams,
  responses: { 200: portalSessionSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: await findPortalSession(deps, principal, params.portal_session_id),
  }),
});
