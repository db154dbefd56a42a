// SPDX-License-Identifier: Apache-2.0
import type { Fee, Verification } from '@chainwatch/chain-core';
import type { Direction, MatchedTransfer, Participant } from './matched-transaction.ts';

export type TransactionStatus = 'pending' | 'detected' | 'confirmed' | 'reorged' | 'failed';

/** A project's record of a transaction, with everything that its events contain. */
export interface TransactionState {
  readonly id: string;
  readonly projectId: string;
  readonly hash: string;
  readonly status: TransactionStatus;
  readonly direction: Direction;
  /** How often it was reorganized out or dropped from the mempool. */
  readonly epoch: number;
  readonly isFailed: boolean;
  readonly verification: Verification;
  /** The four block fields are absent while it is in the mempool, and when it was dropped from there. */
  readonly blockNumber?: number;
  readonly blockHash?: string;
  /** Unix seconds. */
  readonly blockTimestamp?: number;
  readonly txIndex?: number;
  readonly requiredConfirmations: number;
  /** Its project confirms it after so many confirmations; absent: the chain's own finality does. */
  readonly confirmationDepth?: number | undefined;
  readonly fee?: Fee;
  readonly memo?: string | undefined;
  /** First block that may spend the coinbase outputs of this transaction; absent for any other one. */
  readonly maturesAtBlock?: number | undefined;
  readonly replacedBy?: string;
  readonly detectedAt: Date;
  readonly confirmedAt?: Date;
  readonly reorgedAt?: Date;
  readonly transfers: readonly MatchedTransfer[];
  readonly participants: readonly Participant[];
}
