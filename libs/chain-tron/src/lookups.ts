// SPDX-License-Identifier: Apache-2.0
/** What transactions refer to and do not hold, by the node's word. None of it changes once it is there. */
export interface Lookups {
  /** Ids of TRC-10 tokens by name: transactions from before there were ids use names. */
  readonly assetIds: ReadonlyMap<string, string>;
  /** Issues of TRC-10 by what the transaction calls them, or by `41…` of the issuer. */
  readonly issues: ReadonlyMap<string, Issue>;
  /** By number. */
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** By id, hexadecimal digits. */
  readonly orders: ReadonlyMap<string, Order>;
}

export interface Issue {
  readonly id: string;
  /** `num` base units cost `trxNum` sun. */
  readonly num: bigint;
  readonly trxNum: bigint;
  /** Parts of the supply that wait for a time. */
  readonly frozen: readonly bigint[];
}

/** Ids of its two tokens, `_` for TRX. */
export type Exchange = readonly [first: string, second: string];

export interface Order {
  /** 21 bytes. */
  readonly owner: Buffer;
  readonly sellToken: string;
  /** Given back when it was placed, because nothing can be bought for so little. Base units of what it sells. */
  readonly returnedRaw: bigint;
}

export const NO_LOOKUPS: Lookups = {
  assetIds: new Map(),
  issues: new Map(),
  exchanges: new Map(),
  orders: new Map(),
};
