// SPDX-License-Identifier: Apache-2.0
import { hashApiKey, hasPermission } from '@chainwatch/api-key';
import type { Permission } from '@chainwatch/api-key';
import type { Sql } from '@chainwatch/db';
import type { Principal } from '@chainwatch/key-store';
import { forbidden } from '@chainwatch/problem';
import { missingChannel } from '../../channels/find-channel.ts';
import { recordChange, type Author } from '../../management/record-change.ts';

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
export async function insertPortalSession(
  sql: Sql,
  author: Author,
  added: NewPortalSession,
): Promise<string> {
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
