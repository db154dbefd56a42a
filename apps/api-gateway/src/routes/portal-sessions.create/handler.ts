// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { generatePortalToken, hashApiKey, hasPermission, type Permission } from '@chainwatch/common/api-key';
import { requireQuota } from '../../management/take-quota.ts';
import { findPortalSession } from '../../portal-sessions/find-portal-session.ts';
import { createdPortalSessionSchema, portalPermissionSchema } from '../../records/portal-session.ts';
import { defineRoute } from '../../define-route.ts';
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { forbidden } from '@chainwatch/common/problem';
import { missingChannel } from '../../channels/find-channel.ts';
import { recordChange, type Author } from '../../management/record-change.ts';

const TTL_SECONDS_MAX = 3_600;
/** What the page shows nothing without. */
const NEEDED = ['api:notification_channel:read', 'api:delivery:read'] as const;
/**
 * Written into the page's Content-Security-Policy, so nothing that means something there: no wildcard, no list, no
 * quote. As browsers write it, which is how they compare it.
 */
const ORIGIN = /^(?:https:\/\/[a-z0-9.-]+|http:\/\/localhost)(?::\d{1,5})?$/;

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

const newPortalSessionSchema = z.strictObject({
  channel_ids: z
    .array(z.uuid().toLowerCase())
    .min(1)
    .max(100)
    .transform(distinct)
    .meta({
      description: 'The notification channels of this customer.',
      examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
    }),
  ttl_seconds: z
    .int()
    .min(60)
    .max(TTL_SECONDS_MAX)
    .meta({ description: 'How long it lives, in seconds, at most an hour.', examples: [900] }),
  permissions: z
    .array(portalPermissionSchema)
    .min(1)
    .max(10)
    .transform(distinct)
    .refine((names) => NEEDED.every((name) => names.includes(name)), {
      error: `expected ${NEEDED.join(' and ')} among them`,
    })
    .default([...NEEDED])
    .meta({
      description:
        'What the customer may do, none of it that the asking key may not. `api:delivery:replay`: redeliver and recover; `api:event:read`: see the bodies that were sent; `api:notification_channel:write`: send test messages, and nothing else.',
      examples: [[...NEEDED, 'api:delivery:replay']],
    }),
  frame_origins: z
    .array(
      z
        .string()
        .max(255)
        .refine((text) => ORIGIN.test(text) && URL.parse(text)?.origin === text, {
          error:
            'expected an origin such as https://shop.example.com, without a path; http is for localhost alone',
        }),
    )
    .max(10)
    .transform(distinct)
    .default([])
    .meta({
      description: 'Origins whose pages may frame it: `frame-ancestors` of the page. None: it stands alone.',
      examples: [['https://shop.example.com']],
    }),
});

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

interface NewPortalSession {
  readonly token: string;
  readonly channelIds: readonly string[];
  readonly permissions: readonly Permission[];
  readonly frameOrigins: readonly string[];
  readonly ttlSeconds: number;
}

/**
 * Stores the hash of its token. It ends no later than the key, or the session of the dashboard, that makes it. Returns
 * its id.
 * @throws ProblemError 403 for a permission that the author lacks, 404 for a channel that is not of the project
 */
async function insertPortalSession(sql: Sql, author: Author, added: NewPortalSession): Promise<string> {
  const { principal } = author;
  const { channelIds, permissions, frameOrigins } = added;
  checkPermissions(principal, permissions);
  await checkChannels(sql, principal, channelIds);
  const { rows } = await sql.query<{ id: string; expires_at: Date }>(
    `INSERT INTO portal_sessions (project_id, creator_id, token_hash, channel_ids, permissions, frame_origins, creator_email, creator_role, creator_session_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $9, $10, $11,
       least(now() + make_interval(secs => $7), $8::timestamptz, (SELECT expires_at FROM api_keys WHERE id = $2)))
     RETURNING id, expires_at`,
    [
      principal.projectId,
      principal.keyId,
      Buffer.from(hashApiKey(added.token)),
      channelIds,
      permissions,
      frameOrigins,
      added.ttlSeconds,
      principal.endsAtMs === undefined ? null : new Date(principal.endsAtMs),
      principal.member?.email,
      principal.member?.role,
      principal.sessionId,
    ],
  );
  const { id, expires_at } = rows[0]!;
  const to = { channel_ids: channelIds, permissions, frame_origins: frameOrigins, expires_at };
  await recordChange(sql, author, { action: 'portal_session.created', targetId: id, to });
  return id;
}

function checkPermissions({ permissions: held }: Principal, granted: readonly Permission[]): void {
  const missing = granted.filter((permission) => !hasPermission(held, permission));
  if (missing.length > 0)
    throw forbidden(`A portal session may what its maker may; this key does not have ${missing.join(', ')}.`);
}

async function checkChannels(sql: Sql, { projectId }: Principal, ids: readonly string[]): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(
    'SELECT id FROM notification_channels WHERE project_id = $1 AND id = ANY ($2)',
    [projectId, ids],
  );
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw missingChannel(missing);
}
