import type { Sql } from '@chainwatch/db';
import { sumCounts } from '../../lists/sum-counts.ts';
import type { TransactionSource } from './transaction-sources.ts';

/** How many transactions several addresses or assets have together: the largest by its total, of the others what it does not have. */
export async function countTogether(sql: Sql, projectId: string, source: TransactionSource): Promise<number> {
  const totals = await Promise.all(source.values.map((value) => totalOf(sql, projectId, source, value)));
  const largest = totals.indexOf(Math.max(...totals));
  const others = source.values.filter((_, index) => index !== largest && totals[index]! > 0);
  if (others.length === 0) return totals[largest]!;
  const { table, key, type } = source;
  const owner = key === 'asset_gid' ? 'r.project_id = $3' : '$3::uuid IS NOT NULL';
  const { rows } = await sql.query<{ added: number }>(
    `SELECT count(DISTINCT transaction_id) AS added FROM ${table} r WHERE r.${key} = ANY ($2::${type}[]) AND ${owner}
       AND NOT EXISTS (SELECT FROM ${table} l WHERE l.transaction_id = r.transaction_id AND l.${key} = $1::${type})`,
    [source.values[largest], others, projectId],
  );
  return totals[largest]! + rows[0]!.added;
}

function totalOf(sql: Sql, projectId: string, { key }: TransactionSource, value: string): Promise<number> {
  return key === 'address_id' ? sumCounts(sql, { scope: value, list: 'address' }) : sumCounts(sql, { scope: projectId, list: 'asset' }, [[value]]);
}
