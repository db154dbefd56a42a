import { defineRoute } from '../../define-route.ts';
import { findAsset } from '../../find-asset.ts';
import { assetParams } from '../../records/path-schemas.ts';

export const archiveAsset = defineRoute({
  method: 'POST',
  path: '/assets/:chain_gid/:asset_path/actions/archive',
  summary: 'Leave an asset out of listings and balances',
  params: assetParams,
  responses: { 204: undefined },
  handle: async ({ params }, deps) => {
    const row = await findAsset(deps, params);
    if (row.archivedAt === null) {
      await deps.prisma.asset.update({ where: { gid: row.gid }, data: { status: 'invalid', archivedAt: new Date(), updatedAt: new Date() } });
    }
    return { status: 204 };
  },
});
