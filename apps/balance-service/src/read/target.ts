// SPDX-License-Identifier: Apache-2.0
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

/** Whose balance of what, as SQL returns it. */
export interface HoldingRow {
  readonly address_id: string;
  readonly project_id: string;
  readonly address: string;
  readonly display: string;
  readonly asset_gid: string;
  readonly decimals: number | null;
}

export const holdingOf = (
  row: HoldingRow,
): Pick<Target, 'addressId' | 'projectId' | 'address' | 'display' | 'assetGid' | 'decimals'> => ({
  addressId: row.address_id,
  projectId: row.project_id,
  address: row.address,
  display: row.display,
  assetGid: row.asset_gid,
  decimals: row.decimals ?? undefined,
});

/** A block as SQL returns it; undefined where there is none. */
export const refOf = (number: number | null, hash: string | null): BlockRef | undefined =>
  number === null || hash === null ? undefined : { number, hash };

/** A balance that the chain returned. */
export interface Reading extends Omit<Target, 'block'> {
  readonly block: BlockRef;
  /** Base units. */
  readonly amountRaw: bigint;
  /** The balance in the parent block, when that was read too. */
  readonly baselineRaw: bigint | undefined;
}
