// SPDX-License-Identifier: Apache-2.0
import type { BalanceChangeReason, Block, BlockRef, TokenMetadata } from '@chainwatch/chain-core';
import type { MatchedTransaction } from './matched-transaction.ts';
import type { UtxoChanges } from './utxo-changes.ts';

export interface BlockToAnalyse {
  readonly block: Block;
  readonly traceparent?: string;
}

export interface NewAsset {
  readonly gid: string;
  readonly status: 'active' | 'unknown' | 'invalid';
  readonly metadata?: TokenMetadata;
}

/** Work for the balance service. */
export interface BalanceRead {
  /** Absent: every monitored address that holds the asset. */
  readonly addressId?: string;
  readonly assetGid: string;
  /** Absent: at the chain's head. */
  readonly block?: { readonly number: number; readonly hash: string };
  readonly reason: 'detected' | 'confirmed' | 'reorged' | 'touched' | 'mentioned';
  readonly traceparent?: string;
}

/** What a block changed of a watched balance without a transaction. */
export interface BlockChange {
  readonly addressId: string;
  readonly assetGid: string;
  readonly block: BlockRef;
  readonly reason: Exclude<BalanceChangeReason, 'other'>;
  /** Base units, signed. */
  readonly amountRaw: bigint;
}

/** What one group of blocks means, ready to be written. */
export interface BlocksStep {
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
  /** Of blocks passed earlier, for addresses registered meanwhile. */
  readonly retroactive: readonly MatchedTransaction[];
  /** Also of the passed blocks of `retroactive`. */
  readonly changes: readonly BlockChange[];
  readonly reads: readonly BalanceRead[];
  readonly newAssets: readonly NewAsset[];
  /** Derived addresses that a transaction touches for the first time. */
  readonly usedIds: readonly string[];
  /** On chains of unspent outputs. */
  readonly utxos?: UtxoChanges;
}
