// SPDX-License-Identifier: Apache-2.0
import { compareHash, hashApiKey } from '@chainwatch/common/api-key';
import type { Sql } from '@chainwatch/data/db';
import type { PortalScope, Principal } from '@chainwatch/data/key-store';

/** Undefined: the token is unknown, or its session has ended. */
export type FindPortal = (
  token: string,
) => Promise<(Principal & { readonly portal: PortalScope }) | undefined>;

/** A session that a key made ends when the key is revoked, expires, or loses a permission that it granted. */
const MADE_BY_KEY = `EXISTS (
  SELECT FROM api_keys k WHERE k.id = s.creator_id AND k.workspace_id = p.workspace_id
    AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
    AND CASE k.type WHEN 'mgt' THEN 'mgt:key:write' = ANY (k.permissions)
      ELSE k.permissions @> (s.permissions || ARRAY['api:notification_channel:write']) END)`;

/** A member, when they leave, get another role or another address. */
const MADE_BY_MEMBER = `EXISTS (
  SELECT FROM members m WHERE m.id = s.creator_id AND m.workspace_id = p.workspace_id
    AND m.email = s.creator_email AND m.role = s.creator_role)`;

/**
 * Portal sessions that count, with the workspace of each: until they expire by the database's clock, or end with who
 * made them. SQL of a query with a name.
 */
export const LIVE_PORTAL_SESSIONS = `(
  SELECT s.*, p.workspace_id FROM portal_sessions s JOIN projects p ON p.id = s.project_id
  WHERE s.expires_at > now() AND (${MADE_BY_KEY} OR ${MADE_BY_MEMBER})
    AND NOT EXISTS (SELECT FROM ended_sessions e WHERE e.id = s.creator_session_id)
) live_portal_sessions`;

interface PortalRow {
  readonly id: string;
  readonly creator_id: string;
  readonly creator_email: string | null;
  readonly creator_role: string | null;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly channel_ids: string[];
  readonly permissions: string[];
  readonly token_hash: Buffer;
  readonly expires_at: Date;
}

/** The caller behind a token. It is looked up each time, past every cache: what ends a session ends it at once. */
export function createPortalFinder(db: Sql): FindPortal {
  return async (token) => {
    const hash = hashApiKey(token);
    const { rows } = await db.query<PortalRow>({
      name: 'find_portal_session',
      text: `SELECT id, creator_id, creator_email, creator_role, workspace_id, project_id, channel_ids, permissions, token_hash, expires_at
             FROM ${LIVE_PORTAL_SESSIONS} WHERE token_hash = $1`,
      values: [Buffer.from(hash)],
    });
    const [row] = rows;
    if (row === undefined || !compareHash(hash, row.token_hash)) return undefined;
    return {
      keyId: row.creator_id,
      keyType: 'api',
      workspaceId: row.workspace_id,
      projectId: row.project_id,
      isOperator: false,
      permissions: row.permissions,
      endsAtMs: row.expires_at.getTime(),
      ...(row.creator_email !== null && {
        member: { email: row.creator_email, role: row.creator_role ?? '' },
      }),
      portal: { sessionId: row.id, channelIds: row.channel_ids },
    };
  };
}

/** Origins whose pages may frame a session's page; undefined: it has ended, or there never was one. */
export async function findFrameOrigins(db: Sql, id: string): Promise<readonly string[] | undefined> {
  const { rows } = await db.query<{ frame_origins: string[] }>({
    name: 'find_frame_origins',
    text: `SELECT frame_origins FROM ${LIVE_PORTAL_SESSIONS} WHERE id = $1`,
    values: [id],
  });
  return rows[0]?.frame_origins;
}
