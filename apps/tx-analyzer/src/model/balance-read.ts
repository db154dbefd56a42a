import type { MatchedTransaction } from './matched-transaction.ts';
import type { SqlParams } from './sql-params.ts';

/** Work for the balance service. */
export interface BalanceRead {
  /** Absent: every monitored address that holds the asset. */
  readonly addressId?: string;
  readonly assetGid: string;
  /** Absent: at the chain's head. */
  readonly block?: { readonly number: number; readonly hash: string };
  readonly reason: 'detected' | 'confirmed' | 'reorged' | 'touched';
  readonly traceparent?: string;
}

/** Reads of a step, coalesced: one per address and asset, at the last block that asks for it. */
export class BalanceReads {
  readonly #reads = new Map<string, BalanceRead>();

  add(read: BalanceRead): void {
    this.#reads.set(`${read.addressId ?? ''}|${read.assetGid}`, read);
  }

  /** The native coin and every moved asset of every participating address: `atBlock` at their block, otherwise at the head. */
  addDetected(
    matches: readonly MatchedTransaction[],
    { nativeGid, atBlock }: { readonly nativeGid: string; readonly atBlock: boolean },
  ): void {
    for (const { block, transfers, participants, traceparent } of matches) {
      const common = { reason: 'detected', ...(atBlock ? { block } : {}), traceparent } as const;
      for (const { id: addressId, address } of participants) {
        this.add({ addressId, assetGid: nativeGid, ...common });
        for (const { assetGid, monitored } of transfers)
          if (assetGid !== nativeGid && monitored.includes(address))
            this.add({ addressId, assetGid, ...common });
      }
    }
  }

  /** In the order of the blocks, those at the head last. */
  list(): BalanceRead[] {
    const heightOf = (read: BalanceRead): number => read.block?.number ?? Number.MAX_SAFE_INTEGER;
    return [...this.#reads.values()].sort((a, b) => heightOf(a) - heightOf(b));
  }
}

/** The inserting statement; a condition on `r` (address_id, asset_gid, …) may follow. */
export function insertBalanceReadsSql(
  params: SqlParams,
  chainGid: string,
  reads: readonly BalanceRead[],
): string {
  const source = params.unnest(reads, [
    ['uuid', (read) => read.addressId ?? null],
    ['text', (read) => read.assetGid],
    ['bigint', (read) => read.block?.number ?? null],
    ['text', (read) => read.block?.hash ?? null],
    ['text', (read) => read.reason],
    ['text', (read) => read.traceparent ?? null],
  ]);
  return `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason, traceparent)
    SELECT ${params.add(chainGid, 'text')}, r.* FROM ${source} AS r (address_id, asset_gid, block_number, block_hash, reason, traceparent)`;
}
