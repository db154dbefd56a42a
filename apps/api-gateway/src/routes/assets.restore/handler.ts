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
      await deps.prisma.asset.update({ where: { gid: row.gid }, data: { status: 'active', archivedAt: null, updatedAt: new Date() } });
    }
    return { status: 204 };
  },
});
