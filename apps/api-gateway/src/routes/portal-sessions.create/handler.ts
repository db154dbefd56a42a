// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generatePortalToken } from '@chainwatch/api-key';
import { requireQuota } from '../../management/take-quota.ts';
import { findPortalSession } from '../../portal-sessions/find-portal-session.ts';
import { createdPortalSessionSchema } from '../../records/portal-session.ts';
import { defineRoute } from '../../server/define-route.ts';
import { insertPortalSession } from './insert-portal-session.ts';
import { newPortalSessionSchema } from './new-portal-session-schema.ts';

export const createPortalSession = defineRoute({
  method: 'POST',
  path: '/portal_sessions',
  permission: 'api:notification_channel:write',
  summary:
    'Open a delivery page for one of your customers, to embed in your own page; its URL is in this answer only',
  body: newPortalSessionSchema,
  example: {
    channel_ids: ['6f1d1f4e-0000-4000-8000-000000000001'],
    ttl_seconds: 900,
    permissions: ['api:notification_channel:read', 'api:delivery:read', 'api:delivery:replay'],
    frame_origins: ['https://shop.example.com'],
  },
  responses: { 201: createdPortalSessionSchema },
  problems: [404, 422],
  handle: async ({ body, principal, requestId, origin }, deps) => {
    const { namespaceLabel: label, publicUrl = origin } = deps.settings;
    const token = generatePortalToken({ label, randomBytes });
    const id = await deps.db.transaction(async (sql) => {
      await requireQuota(sql, principal.workspaceId, 'portal_sessions');
      return insertPortalSession(
        sql,
        { principal, requestId },
        {
          token,
          channelIds: body.channel_ids,
          permissions: body.permissions,
          frameOrigins: body.frame_origins,
          ttlSeconds: body.ttl_seconds,
        },
      );
    });
    const url = `${publicUrl.replace(/\/+$/, '')}/ui/portal/${id}#${token}`;
    return {
      status: 201,
      body: { ...(await findPortalSession(deps, principal, id)), url },
      location: `/portal_sessions/${id}`,
    };
  },
});
