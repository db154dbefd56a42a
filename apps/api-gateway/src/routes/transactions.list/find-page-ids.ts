import type { Sql } from '@chainwatch/db';
import { behindSql, keySql, orderSql, type ListOrder } from '../../lists/list-order.ts';
import type { ListedRow, Range } from '../../lists/pager.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import { buildConditions } from './build-conditions.ts';
import type { TransactionQuery } from './transaction-query.ts';
import { listSetFilters } from './resolve-filters.ts';
import type { TransactionFilters } from './types.ts';
import { findSource } from './transaction-sources.ts';

const COLUMNS = { detected_at: 'detected_at', block_number: 'block_position' } as const;
/** Up to this number, sorting the rows is faster than finding them in order. */
const GATHERED_ROWS = 5_000;
/**
 * The relative cost of a row found by its block, which is read from the table; a row that is walked over is in the
 * index.
 */
const ROW_COST = 10;

/**
 * The ids of one page in their order, out of `total` matching rows. The tiebreak runs in the direction of the order, so
 * that one index serves both directions.
 */
export async function findPageIds(
  sql: Sql,
  {
    filters,
    query,
    page: { range, total },
  }: {
    readonly filters: TransactionFilters;
    readonly query: TransactionQuery;
    readonly page: { readonly range: Range; readonly total: number };
  },
): Promise<readonly ListedRow[]> {
  const order = {
    column: COLUMNS[query.sort_by.replace('-', '') as keyof typeof COLUMNS],
    direction: query.sort_by.startsWith('-') ? ('DESC' as const) : ('ASC' as const),
  };
  if (range.offset >= total) return [];
  const names = listSetFilters(filters);
  const source = names.length === 1 ? findSource(filters, names[0]) : undefined;
  if (source?.columns.includes(order.column)) return readIdsByValue(sql, { source, order, page: range });
  return readFromTransactions(sql, filters, { ...order, ...range, total });
}

interface OrderedRange extends Range {
  readonly column: (typeof COLUMNS)[keyof typeof COLUMNS];
  readonly direction: 'ASC' | 'DESC';
  readonly total: number;
}

async function readFromTransactions(
  sql: Sql,
  filters: TransactionFilters,
  range: OrderedRange,
): Promise<readonly ListedRow[]> {
  const { column, direction, offset, limit, after } = range;
  const { where, values } = buildConditions(filters);
  const order: ListOrder = {
    columns: [
      { name: column, type: column === 'detected_at' ? 'timestamptz' : 'bigint' },
      { name: 'id', type: 'uuid' },
    ],
    direction,
  };
  const behind =
    after === undefined ? '' : ` AND ${behindSql(order, after, (value) => `$${values.push(value)}`)}`;
  const page = `SELECT id, ${keySql(order)} AS key`;
  const end = `ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`;
  const text = (await isGathered(sql, filters, range))
    ? `WITH matching AS MATERIALIZED (SELECT t.id, t.${column} FROM transactions t WHERE ${where}${behind}) ${page} FROM matching ${end}`
    : `${page} FROM transactions t WHERE ${where}${behind} ${end}`;
  const { rows } = await sql.query<ListedRow>(text, values);
  return rows;
}

/**
 * Whether finding and sorting all matching rows is cheaper than walking in order until the page is full. The planner
 * cannot tell, because its statistics do not know projects.
 */
async function isGathered(
  sql: Sql,
  { projectId, blocks, times }: TransactionFilters,
  { column, offset, limit, total }: OrderedRange,
): Promise<boolean> {
  if (total <= GATHERED_ROWS) return true;
  const all = await sumCounts(sql, { scope: projectId, list: 'transactions' });
  if (total >= all) return false;
  const needed = offset + limit;
  // Blocks and times run together, so the rows of a range are adjacent in the other column's order: in the worst case
  // all other rows come before them.
  const isTogether = (column === 'detected_at' ? blocks : times) !== undefined;
  return isTogether ? total * ROW_COST <= all - total + needed : total <= (needed * all) / total;
}
