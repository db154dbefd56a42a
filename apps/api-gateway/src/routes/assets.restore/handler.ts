// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { askForBalances } from '../../assets/ask-for-balances.ts';
import { lockChain } from '../../assets/lock-chain.ts';
import type { ProjectAsset } from '../../assets/project-asset.ts';
import { defineRoute } from '../../define-route.ts';
import { findAsset } from '../../assets/find-asset.ts';
import { assetParams } from '../../records/path-schemas.ts';

export const restoreAsset = defineRoute({
  method: 'POST',
  path: '/assets/:chain_gid/:asset_path/actions/restore',
  permission: 'api:asset:write',
  summary: 'List an archived asset of the project as active again',
  params: assetParams,
  responses: { 204: undefined },
  handle: async ({ params, principal }, deps) => {
    const asset = await findAsset(deps, principal, params);
    if (asset.archivedAt !== null || asset.status !== 'active')
      await deps.db.transaction((sql) => restore(sql, principal.projectId, asset));
    return { status: 204 };
  },
});

async function restore(
  sql: Sql,
  projectId: string,
  { gid, chainGid, chainStatus }: ProjectAsset,
): Promise<void> {
  if (chainStatus !== 'active') {
    await lockChain(sql, chainGid);
    // The project says that the asset is a token, so the chain is asked again at once.
    await sql.query(
      `UPDATE assets SET status = 'unknown', next_attempt_at = now() WHERE gid = $1 AND status <> 'active'`,
      [gid],
    );
  }
  await sql.query(
    `UPDATE project_assets SET status = 'active', archived_at = NULL, updated_at = now() WHERE project_id = $1 AND asset_gid = $2`,
    [projectId, gid],
  );
  // Its balances were not kept while it was archived.
  await askForBalances(sql, gid, projectId);
}
