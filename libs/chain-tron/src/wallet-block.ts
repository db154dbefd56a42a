// SPDX-License-Identifier: Apache-2.0
/** Shapes of the wallet API. Fields with their default value (0, empty) are left out by the node. */
export interface WalletHeader {
  readonly timestamp?: number;
  readonly txTrieRoot?: string;
  readonly parentHash?: string;
  readonly number?: number;
  readonly witness_id?: number;
  /** 41…; of the genesis block a text. */
  readonly witness_address?: string;
  readonly version?: number;
  readonly accountStateRoot?: string;
}

export interface WalletBlock {
  readonly blockID: string;
  readonly block_header: { readonly raw_data: WalletHeader; readonly witness_signature?: string };
  readonly transactions?: readonly WalletTransaction[];
}

export interface WalletTransaction {
  readonly txID: string;
  readonly raw_data_hex: string;
  readonly signature?: readonly string[];
  readonly ret?: readonly Readonly<Record<string, unknown>>[];
}

/** What a transaction did: `gettransactioninfobyblocknum`. */
export interface TransactionInfo {
  readonly id: string;
  readonly blockNumber?: number;
  readonly blockTimeStamp?: number;
  /** Sun burned by the sender: energy, bandwidth, memo, new account, several signatures. */
  readonly fee?: number | string;
  readonly receipt?: { readonly result?: string };
  readonly result?: string;
  readonly assetIssueID?: string;
  /** Amounts of kinds of contracts whose parameter does not hold them; 0 is left out. */
  readonly withdraw_amount?: number | string;
  readonly unfreeze_amount?: number | string;
  readonly withdraw_expire_amount?: number | string;
  readonly exchange_received_amount?: number | string;
  readonly exchange_inject_another_amount?: number | string;
  readonly exchange_withdraw_another_amount?: number | string;
  /** Of a market order that the transaction placed. */
  readonly orderId?: string;
  /** Matches with earlier orders. */
  readonly orderDetails?: readonly OrderDetail[];
  readonly log?: readonly WalletLog[];
  readonly internal_transactions?: readonly InternalTransaction[];
}

export interface OrderDetail {
  readonly makerOrderId?: string;
  /** What the maker received, in the token that the taker sells. */
  readonly fillSellQuantity?: number | string;
  /** What the taker received. */
  readonly fillBuyQuantity?: number | string;
}

export interface WalletLog {
  /** 20 bytes without `41`; no prefix on any of these. */
  readonly address?: string;
  readonly topics?: readonly string[];
  readonly data?: string;
}

export interface InternalTransaction {
  readonly caller_address?: string;
  readonly transferTo_address?: string;
  readonly callValueInfo?: readonly { readonly callValue?: number | string; readonly tokenId?: string }[];
  /** Hexadecimal text: `call`, `create`, `suicide`, or a word for what moves nothing (votes, stakes). */
  readonly note?: string;
  readonly rejected?: boolean;
}
