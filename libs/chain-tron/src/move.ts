// SPDX-License-Identifier: Apache-2.0
import type { TransferType } from '@chainwatch/chain-core';

/** Something that goes from one account to another. */
export interface Move {
  readonly type: TransferType;
  /** Id of a TRC-10 token, or its name in blocks from before there were ids; absent for TRX. */
  readonly asset?: string;
  /** 21 bytes each, empty for nobody: a stake, a reward, an exchange, the market. */
  readonly from: Buffer;
  readonly to: Buffer;
  readonly amountRaw: bigint;
}

/** A balance that changed by an amount that the node does not tell. */
export interface Change {
  /** 21 bytes. */
  readonly account: Buffer;
  /** As in a move. */
  readonly asset?: string;
}

/** What a transaction did to balances beside its fee. */
export interface Effects {
  readonly moves: readonly Move[];
  readonly changes?: readonly Change[];
  /** True where the node's word stands for a part of them, which no root covers. */
  readonly isAttested?: boolean;
}

export const NOBODY = Buffer.alloc(0);
/** How exchanges and the market write TRX in the place of a token (java-tron, TRX_SYMBOL). */
export const TRX_SYMBOL = '_';

interface Sides {
  readonly from?: Buffer;
  readonly to?: Buffer;
  readonly amountRaw: bigint;
}

export function native({ from = NOBODY, to = NOBODY, amountRaw }: Sides): Move {
  return { type: 'native', from, to, amountRaw };
}

/** @param asset `_` for TRX */
export function token(asset: string, { from = NOBODY, to = NOBODY, amountRaw }: Sides): Move {
  return asset === TRX_SYMBOL
    ? native({ from, to, amountRaw })
    : { type: 'token', asset, from, to, amountRaw };
}

/** A change of an unknown amount in TRX (`_`) or a token. */
export function change(account: Buffer, asset: string): Change {
  return asset === TRX_SYMBOL ? { account } : { account, asset };
}
