import type { Sql } from '@chainwatch/db';
import { countOnScale } from '../../lists/count-on-scale.ts';
import { amounts, transactionBlocks, transactionHours } from '../../lists/scales.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import { buildConditions } from './build-conditions.ts';
import { countTogether } from './count-together.ts';
import { listSetFilters } from './resolve-filters.ts';
import type { TransactionFilters } from './resolve-filters.ts';
import { findSource } from './transaction-sources.ts';

/** Of columns of few values, which the totals of a project are kept by: any of them together. */
const FEW: readonly string[] = ['chains', 'statuses', 'directions'];

/** How many transactions match: from kept totals where there are some for these filters, else counted. */
export async function countTransactions(sql: Sql, filters: TransactionFilters): Promise<number> {
  const { projectId, blocks, times, addressIds, publicKeyId, assets, minAmount } = filters;
  if (addressIds?.length === 0) return 0;
  const names = listSetFilters(filters);
  if (names.every((name) => FEW.includes(name)))
    return sumCounts(sql, { scope: projectId, list: 'transactions' }, [
      filters.chains,
      filters.statuses,
      filters.directions,
    ]);
  if (blocks && names.every((name) => name === 'blocks' || name === 'chains'))
    return countOnScale(sql, transactionBlocks, projectId, within(blocks), [filters.chains]);
  if (names.length === 1) {
    if (times) return countOnScale(sql, transactionHours, projectId, times);
    if (minAmount !== undefined)
      return countOnScale(sql, amounts, projectId, { from: /[1-9]/.test(minAmount) ? minAmount : undefined });
    if (publicKeyId !== undefined) return sumCounts(sql, { scope: publicKeyId, list: 'public_key' });
    if (addressIds?.length === 1) return sumCounts(sql, { scope: addressIds[0]!, list: 'address' });
    if (assets?.length === 1) return sumCounts(sql, { scope: projectId, list: 'asset', key: assets });
    const source = findSource(filters, names[0]);
    if (source) return countTogether(sql, projectId, source);
  }
  const { where, values } = buildConditions(filters);
  const { rows } = await sql.query<{ total: number }>(
    `SELECT count(*) AS total FROM transactions t WHERE ${where}`,
    values,
  );
  return rows[0]!.total;
}

/** What waits in the mempool stands above every block. */
function within({ from = 0, to }: { from?: number | undefined; to?: number | undefined }) {
  return { from, to: Math.min(to ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1) };
}
