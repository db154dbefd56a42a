import type { Sql } from '@chainwatch/db';
import { offsetOf } from '@chainwatch/http';
import { sumCounts } from '../../lists/sum-counts.ts';
import { buildConditions } from './build-conditions.ts';
import type { TransactionQuery } from './handler.ts';
import { listSetFilters } from './resolve-filters.ts';
import type { TransactionFilters } from './resolve-filters.ts';
import { listSources } from './transaction-sources.ts';
import type { TransactionSource } from './transaction-sources.ts';

const columns = { detected_at: 'detected_at', block_number: 'block_position' } as const;
/** So few rows are sorted sooner than found in their order. */
const GATHERED_ROWS = 5_000;

/**
 * The ids of one page in their order, out of `total` that match. Order and tiebreak run the same way, so that one index
 * serves both directions.
 */
export async function findPageIds(sql: Sql, filters: TransactionFilters, query: TransactionQuery, total: number): Promise<string[]> {
  const offset = offsetOf(query);
  if (offset >= total) return [];
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
  const column = columns[query.sort_by.replace('-', '') as keyof typeof columns];
  const source = listSetFilters(filters).length === 1 ? listSources(filters)[0] : undefined;
  const page = `LIMIT ${query.limit} OFFSET ${offset}`;
  if (source?.columns.includes(column)) return readIds(sql, fromSource(source, column, direction, page), source.values);
  const { where, values } = buildConditions(filters);
  const text = (await isGathered(sql, filters, offset + query.limit, total))
    ? `WITH matching AS MATERIALIZED (SELECT t.id, t.${column} FROM transactions t WHERE ${where})
       SELECT id FROM matching ORDER BY ${column} ${direction}, id ${direction} ${page}`
    : `SELECT t.id FROM transactions t WHERE ${where} ORDER BY t.${column} ${direction}, t.id ${direction} ${page}`;
  return readIds(sql, text, values);
}

function fromSource({ from, where, isDistinct }: TransactionSource, column: string, direction: string, page: string): string {
  return `SELECT ${isDistinct ? '' : 'DISTINCT '}${column}, transaction_id AS id FROM ${from} WHERE ${where} ORDER BY ${column} ${direction}, transaction_id ${direction} ${page}`;
}

/**
 * Whether it costs less to find all that match and sort them than to walk through the project in order until the page is
 * full: matching rows are taken to stand anywhere. The planner cannot tell, its statistics know no project.
 */
async function isGathered(sql: Sql, filters: TransactionFilters, needed: number, total: number): Promise<boolean> {
  const all = await sumCounts(sql, { scope: filters.projectId, list: 'transactions' });
  return total < all && total <= Math.max(GATHERED_ROWS, (needed * all) / total);
}

async function readIds(sql: Sql, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id);
}
