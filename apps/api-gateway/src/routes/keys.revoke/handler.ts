// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { announceRevokedKeys } from '../../management/announce-revoked-keys.ts';
import { findKey } from '../../management/find-key.ts';
import { recordChange } from '../../management/record-change.ts';
import { keyParams } from '../../records/key.ts';

export const revokeKey = defineRoute({
  method: 'DELETE',
  path: '/management/keys/:key_id',
  permission: 'mgt:key:write',
  summary: 'Revoke a key, at once and for good; it stays in the list',
  params: keyParams,
  responses: { 204: undefined },
  handle: async ({ params, principal, requestId }, deps) => {
    const { id, keyHash } = await findKey(deps, principal, params.key_id);
    await deps.db.transaction(async (sql) => {
      const { rows } = await sql.query<{ revoked_at: Date | null }>(
        'SELECT revoked_at FROM api_keys WHERE id = $1 FOR UPDATE',
        [id],
      );
      if (rows[0]?.revoked_at !== null) return;
      const to = { revoked_at: new Date() };
      // Before the update, because a key may revoke itself.
      await recordChange(sql, { principal, requestId }, { action: 'key.revoked', targetId: id, to });
      await sql.query('UPDATE api_keys SET revoked_at = $2 WHERE id = $1', [id, to.revoked_at]);
    });
    // Also when the key is revoked already: the first message may have been lost.
    announceRevokedKeys(deps, [{ id, keyHash }]);
    return { status: 204 };
  },
});
