import type { BalanceReads } from '../model/balance-read.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';

/**
 * Adds reads of the native coin and every moved asset for every participating address: `atBlock` at their block,
 * otherwise at the head.
 */
export function addDetectedReads(
  reads: BalanceReads,
  matches: readonly MatchedTransaction[],
  { nativeGid, atBlock }: { readonly nativeGid: string; readonly atBlock: boolean },
): void {
  for (const { block, transfers, participants, traceparent } of matches) {
    const common = {
      reason: 'detected',
      ...(atBlock ? { block } : {}),
      traceparent,
    } as const;
    for (const { id: addressId, address } of participants) {
      reads.add({ addressId, assetGid: nativeGid, ...common });
      for (const { assetGid, monitored } of transfers) {
        if (assetGid !== nativeGid && monitored.includes(address))
          reads.add({ addressId, assetGid, ...common });
      }
    }
  }
}
