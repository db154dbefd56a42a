import type { Sql } from '@chainwatch/db';
import { buildConditions } from '../lists/build-conditions.ts';
import { sumCounts } from '../lists/sum-counts.ts';
import { LISTED_ASSETS, UNCOUNTED_ASSETS } from './listed-assets.ts';
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

/** One page of a project's assets, and how many there are: kept totals of its own rows, and the few of the registry, counted. */
export async function listProjectAssets(
  sql: Sql,
  { projectId, filters, sortBy, offset, limit }: AssetPage,
): Promise<{ rows: ProjectAsset[]; total: number }> {
  const { chains, namespaces, types, statuses, isArchived } = filters;
  const [own, shared] = await Promise.all([
    sumCounts(sql, { scope: projectId, list: 'assets' }, [
      chains,
      namespaces,
      types,
      statuses,
      [String(isArchived)],
    ]),
    countShared(sql, projectId, filters),
  ]);
  const total = own + shared;
  if (offset >= total) return { rows: [], total };
  const values: unknown[] = [];
  const where = buildConditions(wantedColumns(projectId, filters), values);
  const { rows } = await sql.query<{ gid: string }>(
    `SELECT gid FROM ${LISTED_ASSETS} l WHERE ${where} ORDER BY ${toAssetOrder(sortBy)} LIMIT ${limit} OFFSET ${offset}`,
    values,
  );
  return {
    rows: await readProjectAssets(
      sql,
      projectId,
      rows.map(({ gid }) => gid),
    ),
    total,
  };
}

/** The filters as columns of the list and the values that they may have. */
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

/** Tiebreak and order run the same way, so that one index serves both directions. */
export function toAssetOrder(sortBy: string): string {
  const direction = sortBy.startsWith('-') ? 'DESC' : 'ASC';
  return [...new Set([sortBy.replace('-', ''), 'gid'])].map((column) => `${column} ${direction}`).join(', ');
}

async function countShared(sql: Sql, projectId: string, filters: AssetFilters): Promise<number> {
  const values: unknown[] = [];
  const { rows } = await sql.query<{ total: number }>(
    `SELECT count(*) AS total FROM ${UNCOUNTED_ASSETS} l WHERE ${buildConditions(wantedColumns(projectId, filters), values)}`,
    values,
  );
  return rows[0]!.total;
}
