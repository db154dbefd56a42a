// SPDX-License-Identifier: Apache-2.0
import type { TransactionRecord } from '@chainwatch/events';

export interface TransactionRow {
  readonly id: string;
  readonly chain_gid: string;
  readonly hash: string;
  readonly status: 'pending' | 'detected' | 'confirmed' | 'reorged' | 'failed';
  readonly direction: 'in' | 'out' | 'self';
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly block_timestamp: Date | null;
  readonly tx_index: number | null;
  readonly required_confirmations: number;
  readonly fee_asset_gid: string | null;
  readonly fee_amount_raw: string | null;
  readonly fee_decimals: number | null;
  readonly memo: string | null;
  readonly matures_at_block: number | null;
  readonly replaced_by: string | null;
  /** Null in rows of the release before. */
  readonly verification: TransactionRecord['verification'];
  readonly is_unproved: boolean;
  readonly detected_at: Date;
  readonly confirmed_at: Date | null;
  readonly reorged_at: Date | null;
  /** The chain's head according to the ingestor. */
  readonly head_number: number | null;
}

export interface TransferRow {
  readonly transaction_id: string;
  readonly index: number;
  readonly type: 'native' | 'token' | 'internal' | 'nft';
  readonly asset_gid: string;
  readonly from_address: string | null;
  readonly to_address: string | null;
  readonly amount_raw: string;
  readonly decimals: number | null;
  readonly log_index: number | null;
  readonly memo: string | null;
  readonly monitored_addresses: string[];
}

/** A monitored address of the project that a transaction touches. */
export interface TouchedRow {
  readonly transaction_id: string;
  readonly address_id: string;
  readonly address: string;
  readonly label: string | null;
  readonly groups: string[];
}

/** Both ends are included; undefined: no bound. */
export interface Range<V> {
  readonly from?: V | undefined;
  readonly to?: V | undefined;
}

/** The filters of decisions.md §3 as database values; undefined: not set. */
export interface TransactionFilters {
  readonly projectId: string;
  readonly chains?: readonly string[] | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly directions?: readonly string[] | undefined;
  readonly hashes?: readonly string[] | undefined;
  readonly blocks?: Range<number> | undefined;
  readonly times?: Range<Date> | undefined;
  readonly addressIds?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
  /** Part of a label or an address of the project. */
  readonly search?: string | undefined;
  readonly publicKeyId?: string | undefined;
  readonly assets?: readonly string[] | undefined;
  readonly minAmount?: string | undefined;
  readonly memo?: string | undefined;
  readonly memoPrefix?: string | undefined;
}
