import type { Sql } from '@chainwatch/db';
import { sumCounts } from '../../lists/sum-counts.ts';
import type { TransactionSource } from './transaction-sources.ts';

/**
 * How many transactions several addresses or assets have together: the largest by its total, of the others what it does
 * not have. A transaction moves assets of one chain only, so chains are added up.
 */
export async function countTogether(sql: Sql, projectId: string, source: TransactionSource): Promise<number> {
  const groups = new Map<string, string[]>();
  for (const value of source.values) {
    const group = source.key === 'asset_gid' ? value.split('/', 1)[0]! : '';
    groups.set(group, [...(groups.get(group) ?? []), value]);
  }
  const counts = await Promise.all([...groups.values()].map((values) => countGroup(sql, projectId, source, values)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countGroup(sql: Sql, projectId: string, { table, key, type }: TransactionSource, values: readonly string[]): Promise<number> {
  const totals = await Promise.all(values.map((value) => sumCounts(sql, key === 'address_id' ? { scope: value, list: 'address' } : { scope: projectId, list: 'asset', key: [value] })));
  const largest = totals.indexOf(Math.max(...totals));
  const others = values.filter((_, index) => index !== largest && totals[index]! > 0);
  if (others.length === 0) return totals[largest]!;
  const owner = key === 'asset_gid' ? 'r.project_id = $3' : '$3::uuid IS NOT NULL';
  const { rows } = await sql.query<{ added: number }>(
    `SELECT count(DISTINCT transaction_id) AS added FROM ${table} r WHERE r.${key} = ANY ($2::${type}[]) AND ${owner}
       AND NOT EXISTS (SELECT FROM ${table} l WHERE l.transaction_id = r.transaction_id AND l.${key} = $1::${type})`,
    [values[largest], others, projectId],
  );
  return totals[largest]! + rows[0]!.added;
}
