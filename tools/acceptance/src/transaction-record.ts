// SPDX-License-Identifier: Apache-2.0
export interface TransactionRecord {
  readonly chain_gid: string;
  readonly hash: string;
  readonly status: string;
  readonly confirmations: number;
  readonly required_confirmations: number;
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly direction: string;
  readonly replaced_by: string | null;
  readonly fee: { readonly amount_raw: string } | null;
  readonly transfers: readonly {
    readonly type: string;
    readonly asset_gid: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly amount_raw: string;
  }[];
}
