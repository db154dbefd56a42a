import type { Sql } from '@chainwatch/db';
import { containsIn, searchRows } from '../lists/search-rows.ts';
import { toAssetOrder, wantedColumns } from './list-project-assets.ts';
import type { AssetPage } from './list-project-assets.ts';
import { LISTED_ASSETS } from './listed-assets.ts';
import { readProjectAssets } from './project-asset.ts';
import type { ProjectAsset } from './project-asset.ts';

/** One page of the project's assets whose name, symbol or reference contains the text, and how many there are. */
export async function searchProjectAssets(
  sql: Sql,
  { projectId, filters, sortBy, offset, limit }: AssetPage,
  text: string,
): Promise<{ rows: ProjectAsset[]; total: number }> {
  const { ids, total } = await searchRows(sql, {
    table: LISTED_ASSETS,
    id: 'gid',
    columns: '*',
    matches: (add) => [containsIn(['name', 'symbol', 'reference'], add, text)],
    wanted: wantedColumns(projectId, filters),
    order: toAssetOrder(sortBy),
    offset,
    limit,
  });
  return { rows: await readProjectAssets(sql, projectId, ids), total };
}
