// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { LIVE_PORTAL_SESSIONS } from '../../auth/find-portal.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import { portalSessionSchema, toPortalSessionRecord } from '../../records/portal-session.ts';
import { defineRoute } from '../../define-route.ts';

const ORDERS = {
  created_at: { name: 'created_at', type: 'timestamptz' },
  expires_at: { name: 'expires_at', type: 'timestamptz' },
} as const;

export const listPortalSessions = defineRoute({
  method: 'GET',
  path: '/portal_sessions',
  permission: 'api:notification_channel:read',
  reads: 'standby',
  summary: 'Portal sessions of the project that have not ended',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'expires_at'], '-created_at'),
  }),
  responses: { 200: pageSchema(portalSessionSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: LIVE_PORTAL_SESSIONS,
      id: 'id',
      wanted: { project_id: [principal.projectId] },
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.portalSession.findMany({ where: { id: { in: ids } } })).map(
        toPortalSessionRecord,
      );
    const call = { principal, name: 'portal_sessions', query };
    return { status: 200, body: await readList(deps, { call, list, read }) };
  },
});
