// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { Principal } from '@chainwatch/data/key-store';
import { unauthorized } from '@chainwatch/common/problem';
import type { AuditAction } from '../records/audit-log.ts';

/** Who makes a change, taken from the request. */
export interface Author {
  readonly principal: Principal;
  readonly requestId: string;
}

/** The members of a record that an entry shows; undefined: the record does not exist before or after the change. */
type Shown = Readonly<Record<string, unknown>> | undefined;

interface Change {
  readonly action: AuditAction;
  readonly targetId: string;
  readonly from?: Shown;
  readonly to?: Shown;
}

/** Who is an author still: `$1` its id, `$2` its workspace; of a member `$8` and `$9` what it was when it asked. */
const AUTHORS = {
  key: `SELECT id, name, mask FROM api_keys
        WHERE id = $1 AND workspace_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
  member: `SELECT id, email AS name, '' AS mask FROM members
           WHERE id = $1 AND workspace_id = $2 AND email = $8 AND role = $9`,
} as const;

/**
 * Records a change in the transaction that makes it: both are committed, or neither. The author is read again: a
 * key that was just revoked (and may still be cached), or a member whose address or role has changed, changes nothing.
 *
 * @throws ProblemError 401
 */
export async function recordChange(
  sql: Sql,
  { principal, requestId }: Author,
  { action, targetId, from, to }: Change,
): Promise<void> {
  const { member } = principal;
  const type = member ? 'member' : 'key';
  const { rowCount } = await sql.query(
    `INSERT INTO audit_logs (workspace_id, actor_type, actor_key_id, actor_name, actor_mask, action, target_type, target_id, changes, request_id)
     SELECT $2::uuid, '${type}', id, name, mask, $3, $4, $5::uuid, $6::jsonb, $7 FROM (${AUTHORS[type]}) author`,
    [
      principal.keyId,
      principal.workspaceId,
      action,
      action.split('.', 1)[0],
      targetId,
      JSON.stringify(compare(from, to)),
      requestId,
      ...(member ? [member.email, member.role] : []),
    ],
  );
  if (rowCount === 0)
    throw unauthorized(member ? 'The session has ended: sign in again.' : 'The API key is invalid.');
}

/** `{ name: { from: 'a', to: 'b' } }`: the members that differ, with null for an absent value. */
function compare(from: Shown = {}, to: Shown = {}): Record<string, { from: unknown; to: unknown }> {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changes = names.map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }] as const);
  return Object.fromEntries(
    changes.filter(([, change]) => JSON.stringify(change.from) !== JSON.stringify(change.to)),
  );
}
