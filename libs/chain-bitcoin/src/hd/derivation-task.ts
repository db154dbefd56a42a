// SPDX-License-Identifier: Apache-2.0
import type { Network } from 'bitcoinjs-lib';

export type HdFormat = 'p2pkh' | 'p2sh-p2wpkh' | 'p2wpkh' | 'p2tr';

/** What the worker is asked: some addresses of one account, in the order of `indexes`. */
export interface DerivationTask {
  /** Must have been checked before (`decodeExtendedKey`). */
  readonly extendedPublicKey: string;
  /** The version bytes that the key begins with: the library takes no others. */
  readonly keyVersion: number;
  readonly change: number;
  readonly indexes: readonly number[];
  readonly format: HdFormat;
  readonly network: Network;
}

/** What it answers; `fault` says why there are none. */
export type DerivationAnswer = { readonly addresses: readonly string[] } | { readonly fault: string };
