// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { behindSql, keySql, orderSql, type ListOrder } from '../lists/list-order.ts';
import type { ListedRow, Range } from '../lists/pager.ts';
import { packedStatusesOf, runConditions, searchConditions, type BlockSearch } from './block-search.ts';

/** What is found of a block before its record is read. */
export interface ListedBlock extends ListedRow {
  readonly chain_gid: string;
  readonly number: number;
}

interface PageRead {
  readonly search: BlockSearch;
  /** Down to number and id. */
  readonly order: ListOrder;
  readonly range: Range;
}

const COLUMNS = 'id, chain_gid, number, status';

/**
 * The blocks of a page, merged from the first rows of each source: no later one can be on the page. Sources are the rows, of
 * each chain where heights of several are ordered (an index returns the blocks of one chain in order, not those of several),
 * and the runs, for each status.
 */
export async function readBlockPage(sql: Sql, read: PageRead): Promise<readonly ListedBlock[]> {
  const { offset, limit } = read.range;
  const values: unknown[] = [];
  const parts = [
    rowsSql(read, values),
    ...packedStatusesOf(read.search).map((status) => packedSql(read, status, values)),
  ].map((part) => `(${part})`);
  const { rows } = await sql.query<ListedBlock>(
    `SELECT id, ${keySql(read.order)} AS key, chain_gid, number FROM (${parts.join(' UNION ALL ')}) b
     ORDER BY ${orderSql(read.order)} LIMIT ${limit} OFFSET ${offset}`,
    values,
  );
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}

function rowsSql(read: PageRead, values: unknown[]): string {
  const { search, order } = read;
  const { chains } = search;
  if (chains === undefined || chains.length < 2 || order.columns[0]!.name !== 'number')
    return `SELECT ${COLUMNS} FROM blocks WHERE ${conditionsOf(read, search, values)} ${endOf(read)}`;
  const gids = `$${values.push([...new Set(chains)])}::text[]`;
  return `SELECT r.* FROM unnest(${gids}) AS v (gid), LATERAL (
    SELECT ${COLUMNS} FROM blocks WHERE chain_gid = v.gid AND ${conditionsOf(read, { ...search, chains: undefined }, values)} ${endOf(read)}) r`;
}

/** Runs are read in order, and no more of them than the page needs. */
function packedSql(read: PageRead, status: string, values: unknown[]): string {
  const { search, order, range } = read;
  const { direction } = order;
  const first = `${order.columns[0]!.name === 'chain_gid' ? `chain_gid ${direction}, ` : ''}first_number ${direction}`;
  const isByNumber = order.columns[0]!.name === 'number';
  const bound = isByNumber && range.after !== undefined ? Number(range.after[0]) : undefined;
  const runs = runConditions(
    direction === 'ASC'
      ? { ...search, from: Math.max(search.from ?? 0, bound ?? 0) }
      : { ...search, to: Math.min(search.to ?? Number.MAX_SAFE_INTEGER, bound ?? Number.MAX_SAFE_INTEGER) },
    values,
  );
  return `SELECT ${COLUMNS} FROM (SELECT p.*, r.first_number FROM (
      SELECT chain_gid, first_number FROM block_runs WHERE ${status}_count > 0 AND ${runs.join(' AND ')} ORDER BY ${first}) r
    CROSS JOIN LATERAL packed_run(r.chain_gid, r.first_number, r.first_number, r.first_number + 1023) p) q
    WHERE ${conditionsOf(read, { ...search, chains: undefined, statuses: [status] }, values)}
    ORDER BY ${first}, number ${direction}, id ${direction} LIMIT ${range.offset + range.limit}`;
}

function conditionsOf({ order, range: { after } }: PageRead, search: BlockSearch, values: unknown[]): string {
  const behind = after === undefined ? [] : [behindSql(order, after, (value) => `$${values.push(value)}`)];
  return [...searchConditions(search, values), ...behind].join(' AND ');
}

function endOf({ order, range: { offset, limit } }: PageRead): string {
  return `ORDER BY ${orderSql(order)} LIMIT ${offset + limit}`;
}
