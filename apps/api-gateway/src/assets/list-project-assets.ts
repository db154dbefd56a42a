// SPDX-License-Identifier: Apache-2.0
import type { Page, PageRequest } from '@chainwatch/platform/http';
import { toPage } from '@chainwatch/platform/http';
import type { Principal } from '@chainwatch/data/key-store';
import { toListOrder } from '../lists/list-order.ts';
import { openPager } from '../lists/pager.ts';
import { readList } from '../lists/read-list.ts';
import { containsIn, searchRows } from '../lists/search-rows.ts';
import type { ApiDeps } from '../api-deps.ts';
import { LISTED_ASSETS } from './listed-assets.ts';
import { readProjectAssets } from './project-asset.ts';
import type { ProjectAsset } from './project-asset.ts';

export interface AssetFilters {
  readonly chains?: readonly string[] | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly isArchived: boolean;
}

const GID = { name: 'gid', type: 'text' } as const;
/** `name` and `symbol` are not known of every asset. */
const ORDERS = {
  gid: GID,
  namespace: { name: 'namespace', type: 'text' },
  reference: { name: 'reference', type: 'text' },
  status: { name: 'status', type: 'text' },
  created_at: { name: 'created_at', type: 'timestamptz' },
  name: { name: 'name', type: 'text', isNullable: true },
  symbol: { name: 'symbol', type: 'text', isNullable: true },
} as const;
type SortField = keyof typeof ORDERS;

interface AssetList {
  readonly principal: Principal;
  /** Of the list that is asked for. */
  readonly name: string;
  readonly query: PageRequest & {
    readonly sort_by: SortField | `-${SortField}`;
    /** Part of a name, a symbol or a reference. */
    readonly search?: string | undefined;
  };
  readonly filters: AssetFilters;
}

/** One page of a project's assets, and how many there are. */
export async function listProjectAssets(
  { db, sealer }: Pick<ApiDeps, 'db' | 'sealer'>,
  { principal, name, query, filters }: AssetList,
): Promise<Page<ProjectAsset>> {
  const { projectId } = principal;
  const order = toListOrder(query.sort_by, ORDERS, [GID]);
  const wanted = wantedColumns(projectId, filters);
  const read = (gids: string[]): Promise<ProjectAsset[]> => readProjectAssets(db, projectId, gids);
  const { search } = query;
  if (search === undefined) {
    const list = { from: `${LISTED_ASSETS} l`, id: 'gid', wanted, order } as const;
    return readList({ db, sealer }, { call: { principal, name, query }, list, read });
  }
  const pager = openPager({ sealer, principal, list: name, query });
  const found = await searchRows(db, {
    table: LISTED_ASSETS,
    id: 'gid',
    columns: '*',
    matches: (add) => [containsIn(['name', 'symbol', 'reference'], add, search)],
    wanted,
    order,
    range: pager.range,
  });
  const { rows, nextCursor } = pager.close(found.rows);
  return toPage(await read(rows.map(({ id }) => id)), { total: found.total, request: query, nextCursor });
}

/** The filters as the list's columns and the values allowed in each. */
function wantedColumns(
  projectId: string,
  { chains, namespaces, types, statuses, isArchived }: AssetFilters,
): Record<string, readonly unknown[] | undefined> {
  return {
    project_id: [projectId],
    chain_gid: chains,
    namespace: namespaces,
    type: types,
    status: statuses,
    '(archived_at IS NOT NULL)': [isArchived],
  };
}
