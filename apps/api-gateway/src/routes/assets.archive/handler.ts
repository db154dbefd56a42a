// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { findAsset } from '../../assets/find-asset.ts';
import { assetParams } from '../../records/path-schemas.ts';

export const archiveAsset = defineRoute({
  method: 'POST',
  path: '/assets/:chain_gid/:asset_path/actions/archive',
  permission: 'api:asset:write',
  summary: "Leave an asset out of the project's listings and balances",
  params: assetParams,
  responses: { 204: undefined },
  handle: async ({ params, principal }, deps) => {
    const { gid, archivedAt, createdAt } = await findAsset(deps, principal, params);
    if (archivedAt === null) {
      // An asset of the registry has a row in the project from now on.
      await deps.db.query(
        `INSERT INTO project_assets AS p (project_id, asset_gid, status, archived_at, created_at) VALUES ($1, $2, 'invalid', now(), $3)
         ON CONFLICT (project_id, asset_gid) DO UPDATE SET status = 'invalid', archived_at = now(), updated_at = now() WHERE p.archived_at IS NULL`,
        [principal.projectId, gid, createdAt],
      );
    }
    return { status: 204 };
  },
});
