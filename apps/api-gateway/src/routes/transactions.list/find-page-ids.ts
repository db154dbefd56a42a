// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import { behindSql, keySql, orderSql, type ListOrder } from '../../lists/list-order.ts';
import type { ListedRow, Range } from '../../lists/pager.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { buildConditions } from './build-conditions.ts';
import type { TransactionQuery } from './transaction-query.ts';
import { listSetFilters } from './resolve-filters.ts';
import type { TransactionFilters } from './types.ts';
import { findSource } from './transaction-sources.ts';

const COLUMNS = { detected_at: 'detected_at', block_number: 'block_position' } as const;

interface PageOrder {
  readonly column: (typeof COLUMNS)[keyof typeof COLUMNS];
  readonly direction: 'ASC' | 'DESC';
}

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
  const order: PageOrder = {
    column: COLUMNS[query.sort_by.replace('-', '') as keyof typeof COLUMNS],
    direction: query.sort_by.startsWith('-') ? 'DESC' : 'ASC',
  };
  if (range.offset >= total) return [];
  const names = listSetFilters(filters);
  const source = names.length === 1 ? findSource(filters, names[0]) : undefined;
  if (source?.columns.includes(order.column)) return readIdsByValue(sql, { source, order, page: range });
  return readFromTransactions(sql, filters, { order, page: range });
}

async function readFromTransactions(
  sql: Sql,
  filters: TransactionFilters,
  {
    order: { column, direction },
    page: { offset, limit, after },
  }: { readonly order: PageOrder; readonly page: Range },
): Promise<readonly ListedRow[]> {
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
  const { rows } = await sql.query<ListedRow>(
    `SELECT id, ${keySql(order)} AS key FROM transactions t WHERE ${where}${behind} ORDER BY ${orderSql(order)} LIMIT ${limit} OFFSET ${offset}`,
    values,
  );
  return rows;
}
