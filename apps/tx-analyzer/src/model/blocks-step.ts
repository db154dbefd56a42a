import type { Block, TokenMetadata } from '@chainwatch/chain-core';
import type { BalanceRead } from './balance-read.ts';
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

/** What one group of blocks means, ready to be written. */
export interface BlocksStep {
  readonly blocks: readonly Block[];
  readonly matches: readonly MatchedTransaction[];
  /** Of blocks passed earlier, for addresses registered meanwhile. */
  readonly retroactive: readonly MatchedTransaction[];
  readonly reads: readonly BalanceRead[];
  readonly newAssets: readonly NewAsset[];
  /** Derived addresses that a transaction touches for the first time. */
  readonly usedIds: readonly string[];
  /** On chains of unspent outputs. */
  readonly utxos?: UtxoChanges;
}
