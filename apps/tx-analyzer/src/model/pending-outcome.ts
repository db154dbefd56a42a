// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from '@chainwatch/chain-core';
import type { KnownCoin } from './coin.ts';

/** An unconfirmed transaction that a project was notified of, or a parent of one. */
export interface PendingTransaction {
  readonly hash: string;
  /** Its records, one per project; none when it concerns nobody. */
  readonly ids: ReadonlySet<string>;
  /** `outpointKey` of everything it spends. */
  readonly inputs: ReadonlySet<string>;
  /** Its outputs to watched addresses, by `outpointKey`. */
  readonly coins: ReadonlyMap<string, KnownCoin>;
}

/** A transaction that can no longer be mined, or seems to be gone. */
export interface DroppedTransaction extends PendingTransaction {
  /** The transaction that spent its coins, or those of a parent. */
  readonly replacedBy?: string;
}

/** What blocks mean for unconfirmed transactions. */
export interface PendingOutcome {
  readonly mined: readonly {
    readonly pending: PendingTransaction;
    readonly block: BlockHeader;
    readonly index: number;
  }[];
  readonly dropped: readonly DroppedTransaction[];
}

export const NO_OUTCOME: PendingOutcome = { mined: [], dropped: [] };
