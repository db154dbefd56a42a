// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import { sumCounts } from '../../lists/sum-counts.ts';
import { buildConditions } from './build-conditions.ts';
import { listSetFilters } from './resolve-filters.ts';
import type { TransactionFilters } from './types.ts';
import { findSource } from './transaction-sources.ts';
import type { TransactionSource } from './transaction-sources.ts';

/** Columns with few values, by which a project's totals are kept, in any combination. */
const FEW: readonly string[] = ['chains', 'statuses', 'directions'];

/**
 * The number of matching transactions: from kept totals if these filters have some, otherwise counted with an index.
 */
export async function countTransactions(sql: Sql, filters: TransactionFilters): Promise<number> {
  const { projectId, addressIds, assets } = filters;
  if (addressIds?.length === 0) return 0;
  const names = listSetFilters(filters);
  if (names.every((name) => FEW.includes(name)))
    return sumCounts(sql, { scope: projectId, list: 'transactions' }, [
      filters.chains,
      filters.statuses,
      filters.directions,
    ]);
  if (names.length === 1) {
    if (addressIds?.length === 1) return sumCounts(sql, { scope: addressIds[0]!, list: 'address' });
    if (assets?.length === 1) return sumCounts(sql, { scope: projectId, list: 'asset', key: assets });
    const source = findSource(filters, names[0]);
    if (source) return countSource(sql, source);
  }
  const { where, values } = buildConditions(filters);
  return readTotal(sql, `SELECT count(*) AS total FROM transactions t WHERE ${where}`, values);
}

/** For several addresses or assets, or for the addresses of a key: each transaction counts once. */
function countSource(
  sql: Sql,
  { table, id, key, type, values, where, parameters = [] }: TransactionSource,
): Promise<number> {
  const more = where === undefined ? '' : ` AND ${where}`;
  return readTotal(
    sql,
    `SELECT count(*) AS total FROM (SELECT FROM ${table} WHERE ${key} = ANY ($1::${type}[])${more} GROUP BY ${id}) r`,
    [values, ...parameters],
  );
}

async function readTotal(sql: Sql, text: string, values: unknown[]): Promise<number> {
  const { rows } = await sql.query<{ total: number }>(text, values);
  return rows[0]!.total;
}
