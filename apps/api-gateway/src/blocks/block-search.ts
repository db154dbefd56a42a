// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { buildConditions } from '../lists/build-conditions.ts';

/** The filters of GET /blocks. */
export interface BlockSearch {
  readonly chains: readonly string[] | undefined;
  readonly statuses: readonly string[];
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Statuses of blocks that are in runs. */
const PACKED = ['confirmed', 'skipped'] as const;

/** Those that a search wants. */
export function packedStatusesOf({ statuses }: Pick<BlockSearch, 'statuses'>): readonly string[] {
  return PACKED.filter((status) => statuses.includes(status));
}

/** On rows of `blocks`, or what has their columns. */
export function searchConditions({ chains, statuses, from, to }: BlockSearch, values: unknown[]): string[] {
  return [
    buildConditions({ chain_gid: chains, status: statuses }, values),
    ...(from === undefined ? [] : [`number >= $${values.push(from)}`]),
    ...(to === undefined ? [] : [`number <= $${values.push(to)}`]),
  ];
}

/** On rows of `block_runs`: those that may hold such blocks. */
export function runConditions(
  { chains, from, to }: Pick<BlockSearch, 'chains' | 'from' | 'to'>,
  values: unknown[],
): string[] {
  return [
    buildConditions({ chain_gid: chains }, values) || 'true',
    ...(from === undefined ? [] : [`first_number > $${values.push(from)}::bigint - 1024`]),
    ...(to === undefined ? [] : [`first_number <= $${values.push(to)}::bigint`]),
  ];
}

/** How many blocks a search finds, counted: rows from an index, runs from their marks. */
export async function countBlocks(sql: Sql, search: BlockSearch): Promise<number> {
  const values: unknown[] = [];
  const rows = searchConditions(search, values).join(' AND ');
  const runs = runConditions(search, values).join(' AND ');
  const range = `$${values.push(search.from ?? 0)}::bigint, $${values.push(search.to ?? Number.MAX_SAFE_INTEGER)}::bigint`;
  const statuses = `$${values.push(packedStatusesOf(search))}::text[]`;
  const { rows: counted } = await sql.query<{ total: number }>(
    `SELECT (SELECT count(*) FROM blocks WHERE ${rows})
       + (SELECT coalesce(sum(count_in_run(r, ${range}, ${statuses})), 0)::bigint FROM block_runs r WHERE ${runs}) AS total`,
    values,
  );
  return counted[0]!.total;
}
