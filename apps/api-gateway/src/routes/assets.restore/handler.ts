import { askForBalances } from '../../ask-for-balances.ts';
import { defineRoute } from '../../define-route.ts';
import { findAsset } from '../../find-asset.ts';
import { assetParams } from '../../records/path-schemas.ts';

export const restoreAsset = defineRoute({
  method: 'POST',
  path: '/assets/:chain_gid/:asset_path/actions/restore',
  summary: 'List an archived asset as active again',
  params: assetParams,
  responses: { 204: undefined },
  handle: async ({ params }, deps) => {
    const row = await findAsset(deps, params);
    if (row.archivedAt !== null || row.status !== 'active') {
      await deps.db.transaction(async (sql) => {
        await sql.query(`UPDATE assets SET status = 'active', archived_at = NULL, next_attempt_at = now(), updated_at = now() WHERE gid = $1`, [row.gid]);
        // Nobody kept its balances meanwhile.
        await askForBalances(sql, row.gid);
      });
    }
    return { status: 204 };
  },
});
