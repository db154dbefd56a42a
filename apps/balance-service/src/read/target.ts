import type { BlockRef } from '@chainwatch/chain-core';

/** One balance to read. */
export interface Target {
  readonly addressId: string;
  readonly projectId: string;
  /** Canonical form. */
  readonly address: string;
  /** The form that is shown. */
  readonly display: string;
  readonly assetGid: string;
  /** Undefined: nobody knows them. */
  readonly decimals: number | undefined;
  /** The block to read at; undefined: the analyzer's cursor, the newest block whose transfers are all stored. */
  readonly block: BlockRef | undefined;
  /**
   * For a balance of which no reading is left (its first one, or a reorg has undone them): the block before the first one
   * that may have changed it.
   */
  readonly parent: BlockRef | undefined;
  /**
   * Stored only when the balance is not zero: an import, or a log that names the address, tries an asset that was never seen on
   * the address.
   */
  readonly isSuspected: boolean;
  /** Transactions of earlier blocks were stored only now: existing adjustments may already contain them. */
  readonly isRetroactive: boolean;
  readonly traceparent: string | undefined;
}

/** A balance that the chain returned. */
export interface Reading extends Omit<Target, 'block'> {
  readonly block: BlockRef;
  /** Base units. */
  readonly amountRaw: bigint;
  /** The balance in the parent block, when that was read too. */
  readonly baselineRaw: bigint | undefined;
}
