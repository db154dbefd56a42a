import { compareAmounts, formatAmount } from '@chainwatch/amounts';
import type { MatchedTransfer } from '../model/matched-transaction.ts';

/**
 * The largest amount that a transaction moved, in whole units; undefined while the decimals of none of its assets are
 * known. Where a project pays others out of its outputs, input and change moved nothing (as set_amount_max in the database).
 */
export function findAmountMax(
  transfers: readonly MatchedTransfer[],
  decimalsOf: (assetGid: string) => number | undefined,
): string | undefined {
  const paidOthers = transfers.filter(({ monitored }) => monitored.length === 0);
  let max: string | undefined;
  for (const { assetGid, amountRaw } of paidOthers.length > 0 ? paidOthers : transfers) {
    const decimals = decimalsOf(assetGid);
    if (decimals === undefined) continue;
    const amount = formatAmount(amountRaw, decimals);
    if (max === undefined || compareAmounts(amount, max) > 0) max = amount;
  }
  return max;
}
