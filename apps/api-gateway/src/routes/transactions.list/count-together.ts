import { splitAssetGid } from '@chainwatch/caip';
import type { Sql } from '@chainwatch/db';
import { sumCounts } from '../../lists/sum-counts.ts';
import type { TransactionSource } from './transaction-sources.ts';

/**
 * How many transactions several addresses or assets have together: the largest by its total, of the others what it does
 * not have. A transaction is of one chain only, so chains, and families, are added up.
 */
export async function countTogether(sql: Sql, projectId: string, source: TransactionSource): Promise<number> {
  const groups =
    source.key === 'asset_gid' ? groupByChain(source.values) : await groupByFamily(sql, source.values);
  const counts = await Promise.all(groups.map((values) => countGroup(sql, projectId, source, values)));
  return counts.reduce((sum, count) => sum + count, 0);
}

function groupByChain(assetGids: readonly string[]): (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const gid of assetGids) {
    const chainGid = splitAssetGid(gid).chainGid;
    groups.set(chainGid, [...(groups.get(chainGid) ?? []), gid]);
  }
  return [...groups.values()];
}

async function groupByFamily(sql: Sql, addressIds: readonly string[]): Promise<(readonly string[])[]> {
  const { rows } = await sql.query<{ ids: string[] }>(
    'SELECT array_agg(id) AS ids FROM addresses WHERE id = ANY ($1) GROUP BY chain_family',
    [addressIds],
  );
  return rows.map(({ ids }) => ids);
}

async function countGroup(
  sql: Sql,
  projectId: string,
  { table, key, type }: TransactionSource,
  values: readonly string[],
): Promise<number> {
  const totals = await Promise.all(
    values.map((value) =>
      sumCounts(
        sql,
        key === 'address_id'
          ? { scope: value, list: 'address' }
          : { scope: projectId, list: 'asset', key: [value] },
      ),
    ),
  );
  const largest = totals.indexOf(Math.max(...totals));
  const others = values.filter((_, index) => index !== largest && totals[index]! > 0);
  if (others.length === 0) return totals[largest]!;
  const owner = key === 'asset_gid' ? 'r.project_id = $3' : '$3::uuid IS NOT NULL';
  // One address has a transaction once: nothing to sort.
  const isOnce = key === 'address_id' && others.length === 1;
  const { rows } = await sql.query<{ added: number }>(
    `SELECT count(${isOnce ? '*' : 'DISTINCT transaction_id'}) AS added FROM ${table} r WHERE r.${key} = ${isOnce ? `$2::${type}` : `ANY ($2::${type}[])`} AND ${owner}
       AND NOT EXISTS (SELECT FROM ${table} l WHERE l.transaction_id = r.transaction_id AND l.${key} = $1::${type})`,
    [values[largest], isOnce ? others[0] : others, projectId],
  );
  return totals[largest]! + rows[0]!.added;
}
