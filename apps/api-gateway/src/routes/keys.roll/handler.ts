// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { defineRoute } from '../../define-route.ts';
import { announceRevokedKeys } from '../../management/announce-revoked-keys.ts';
import { findKey } from '../../management/find-key.ts';
import {
  createdKeySchema,
  keyParams,
  keySchema,
  toKeyRecord,
  keyTypeSchema,
  permissionSchema,
} from '../../records/key.ts';
import type { Sql } from '@chainwatch/data/db';
import { conflict } from '@chainwatch/common/problem';
import { checkGrants } from '../../management/check-grants.ts';
import { insertKey } from '../../management/insert-key.ts';
import { recordChange, type Author } from '../../management/record-change.ts';
import { requireQuota } from '../../management/take-quota.ts';

const GRACE_SECONDS_MAX = 30 * 86_400;

export const rollKeyRoute = defineRoute({
  method: 'POST',
  path: '/management/keys/:key_id/actions/roll',
  permission: 'mgt:key:write',
  summary: 'Put a new key with the same permissions in the place of one, which ends after the grace',
  params: keyParams,
  body: z.strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(GRACE_SECONDS_MAX)
      .meta({ description: 'How long the old key goes on, in seconds, at most 30 days.', examples: [3_600] }),
  }),
  example: { grace_seconds: 3_600 },
  responses: { 200: createdKeySchema.extend({ previous: keySchema.meta({ description: 'The old key.' }) }) },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId }, deps) => {
    const { id } = await findKey(deps, principal, params.key_id);
    const options = { id, graceSeconds: body.grace_seconds, label: deps.settings.namespaceLabel };
    const added = await deps.db.transaction((sql) => rollKey(sql, { principal, requestId }, options));
    const previous = await findKey(deps, principal, id);
    const endsAt = previous.revokedAt === null ? (previous.expiresAt ?? undefined) : undefined;
    announceRevokedKeys(deps, [{ id, keyHash: previous.keyHash, endsAt }]);
    return {
      status: 200,
      body: {
        ...toKeyRecord(await findKey(deps, principal, added.id)),
        key: added.key,
        previous: toKeyRecord(previous),
      },
    };
  },
});

interface RolledRow {
  readonly type: string;
  readonly name: string;
  readonly project_id: string | null;
  readonly permissions: string[];
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly replaced_by: string | null;
}

interface RollOptions {
  readonly id: string;
  readonly graceSeconds: number;
  readonly label: string;
}

/**
 * Makes a key with the old key's permissions and expiry. The old key ends after the grace period; without one it is
 * revoked. The caller receives a new key, so grants are checked as for any other.
 *
 * @throws ProblemError 403, 409, 422 at the quota of keys
 */
async function rollKey(
  sql: Sql,
  author: Author,
  { id, graceSeconds, label }: RollOptions,
): Promise<{ id: string; key: string }> {
  const old = await lockKey(sql, id);
  if (old.revoked_at !== null) throw conflict('The key is revoked: make a new one.');
  if (old.expires_at !== null && old.expires_at.getTime() <= Date.now())
    throw conflict('The key is expired: make a new one.');
  if (old.replaced_by !== null)
    throw conflict(`The key was rolled already: roll its successor ${old.replaced_by}.`);
  const permissions = z.array(permissionSchema).parse(old.permissions);
  checkGrants(author.principal, permissions);
  // Where the old key ends at once there is one as before: at the quota, too, a stolen key can be replaced.
  if (graceSeconds > 0) await requireQuota(sql, author.principal.workspaceId, 'keys');
  const added = await insertKey(sql, {
    author,
    label,
    added: {
      type: keyTypeSchema.parse(old.type),
      name: old.name,
      projectId: old.project_id,
      permissions,
      expiresAt: old.expires_at,
    },
  });
  const from = { replaced_by: null, expires_at: old.expires_at, revoked_at: null };
  const to = { replaced_by: added.id, ...endOf(old, graceSeconds) };
  await recordChange(sql, author, { action: 'key.rolled', targetId: id, from, to });
  await sql.query('UPDATE api_keys SET replaced_by = $2, expires_at = $3, revoked_at = $4 WHERE id = $1', [
    id,
    to.replaced_by,
    to.expires_at,
    to.revoked_at,
  ]);
  return added;
}

async function lockKey(sql: Sql, id: string): Promise<RolledRow> {
  const { rows } = await sql.query<RolledRow>(
    'SELECT type, name, project_id, permissions, expires_at, revoked_at, replaced_by FROM api_keys WHERE id = $1 FOR UPDATE',
    [id],
  );
  if (!rows[0]) throw conflict('The key was deleted with its project.');
  return rows[0];
}

function endOf(
  { expires_at }: RolledRow,
  graceSeconds: number,
): { expires_at: Date | null; revoked_at: Date | null } {
  const now = Date.now();
  if (graceSeconds === 0) return { expires_at, revoked_at: new Date(now) };
  return {
    expires_at: new Date(
      Math.min(now + graceSeconds * 1_000, expires_at?.getTime() ?? Number.POSITIVE_INFINITY),
    ),
    revoked_at: null,
  };
}
