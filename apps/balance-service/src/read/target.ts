import type { BlockRef } from '@chainwatch/chain-core';

/** One balance to read. */
export interface Target {
  readonly addressId: string;
  readonly projectId: string;
  /** Canonical form. */
  readonly address: string;
  /** As it is shown. */
  readonly display: string;
  readonly assetGid: string;
  readonly decimals: number;
  /** Read there; undefined: at the analyzer's cursor, the newest block whose transfers are all stored. */
  readonly block: BlockRef | undefined;
  /** Where the balance stood before `block`, for a balance that is read the first time. */
  readonly parent: BlockRef | undefined;
  /** Kept only when the balance is not zero: the asset was not discovered on the address, an import asks on suspicion. */
  readonly isSuspected: boolean;
  /** Transactions of blocks already passed were stored now: earlier adjustments may have told of them. */
  readonly isRetroactive: boolean;
  readonly traceparent: string | undefined;
}

/** What the chain said. */
export interface Reading extends Omit<Target, 'block'> {
  readonly block: BlockRef;
  /** Base units. */
  readonly amountRaw: bigint;
  /** What it was in the parent block, when that was asked too. */
  readonly baselineRaw: bigint | undefined;
}
