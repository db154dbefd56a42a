// SPDX-License-Identifier: Apache-2.0
import { tokenIdOf } from '@chainwatch/events';
import { unprocessableEntity } from '@chainwatch/common/problem';
import { findAsset } from '../../assets/find-asset.ts';
import { findChain } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { assetParams } from '../../records/path-schemas.ts';
import { toTokenRecord, tokenSchema } from '../../records/token.ts';
import { defineRoute } from '../../define-route.ts';

export const refreshToken = defineRoute({
  method: 'POST',
  path: '/tokens/:chain_gid/:asset_path/actions/refresh',
  permission: 'api:token:write',
  summary:
    "Read a token of the project's list again from its chain; corrects decimals, and with them balances, lists, and events still to come",
  params: assetParams,
  responses: { 202: tokenSchema },
  problems: [422],
  handle: async ({ params, principal, requestId }, deps) => {
    const asset = await findAsset(deps, principal, params);
    const { gid, type } = asset;
    if (type === 'native')
      throw refuse('asset_path', 'a token', `the native coin ${gid}, which has no contract`);
    const chain = await findChain(deps, params.chain_gid);
    if (!chain.isActive)
      throw refuse('chain_gid', 'an active blockchain', `${chain.gid}, which is not active`);
    await deps.db.transaction(async (sql) => {
      await sql.query(
        // What was no token is asked whether it is one now, as for who restores it.
        `UPDATE assets SET is_reread_due = true, attempt_count = 0, next_attempt_at = now(),
           status = CASE WHEN status = 'invalid' THEN 'unknown' ELSE status END WHERE gid = $1`,
        [gid],
      );
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'token.refreshed', targetId: tokenIdOf(gid), to: { gid } },
      );
    });
    return { status: 202, body: toTokenRecord(asset) };
  },
});

function refuse(name: string, expected: string, got: string): Error {
  const reason = `expected ${expected}, got ${got}`;
  return unprocessableEntity(`The token cannot be read again: ${reason}.`, [{ name, reason }]);
}
