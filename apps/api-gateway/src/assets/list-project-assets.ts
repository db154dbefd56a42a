import type { Sql } from '@chainwatch/db';
import { buildConditions } from '../lists/build-conditions.ts';
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

export interface AssetPage {
  readonly projectId: string;
  readonly filters: AssetFilters;
  /** A column with its direction: `-created_at`. */
  readonly sortBy: string;
  readonly offset: number;
  readonly limit: number;
}

/** One page of a project's assets, and how many there are. */
export async function listProjectAssets(
  sql: Sql,
  { projectId, filters, sortBy, offset, limit }: AssetPage,
): Promise<{ rows: ProjectAsset[]; total: number }> {
  const values: unknown[] = [];
  const matching = `${LISTED_ASSETS} l WHERE ${buildConditions(wantedColumns(projectId, filters), values)}`;
  const counted = await sql.query<{ total: number }>(`SELECT count(*) AS total FROM ${matching}`, values);
  const { total } = counted.rows[0]!;
  if (offset >= total) return { rows: [], total };
  const { rows } = await sql.query<{ gid: string }>(
    `SELECT gid FROM ${matching} ORDER BY ${toAssetOrder(sortBy)} LIMIT ${limit} OFFSET ${offset}`,
    values,
  );
  const gids = rows.map(({ gid }) => gid);
  return { rows: await readProjectAssets(sql, projectId, gids), total };
}

/** The filters as the list's columns and the values allowed in each. */
export function wantedColumns(
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

/** The tiebreak runs in the direction of the order, so that one index serves both directions. */
export function toAssetOrder(sortBy: string): string {
  const direction = sortBy.startsWith('-') ? 'DESC' : 'ASC';
  return [...new Set([sortBy.replace('-', ''), 'gid'])].map((column) => `${column} ${direction}`).join(', ');
}
