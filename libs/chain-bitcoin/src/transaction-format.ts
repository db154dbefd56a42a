// SPDX-License-Identifier: Apache-2.0
import type { BitcoinTraits } from './bitcoin-traits.ts';

/** What a transaction of a network may have beside BIP-144's fields without a witness. */
export interface TransactionFormat {
  /** A witness, announced by the flag 1 (BIP-144). */
  readonly hasWitness: boolean;
  /** Parts of an extension block, announced by the flag 8 (LIP-2 to LIP-4). */
  readonly hasMweb: boolean;
  /** A token prefix in front of an output's script (CHIP-2022-02 CashTokens). */
  readonly hasTokens: boolean;
}

export const WITNESS_FLAG = 1;
export const MWEB_FLAG = 8;

/** BIP-144. */
export const SEGWIT_FORMAT: TransactionFormat = { hasWitness: true, hasMweb: false, hasTokens: false };

/** @param height of the block; absent for a transaction outside of one, which the next block may have */
export function formatOf(
  { segwitHeight, mweb, cashTokensHeight }: BitcoinTraits,
  height = Infinity,
): TransactionFormat {
  return {
    hasWitness: segwitHeight !== undefined,
    hasMweb: mweb !== undefined,
    hasTokens: cashTokensHeight !== undefined && height >= cashTokensHeight,
  };
}
