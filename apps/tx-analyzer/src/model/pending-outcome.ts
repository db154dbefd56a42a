import type { BlockHeader } from '@chainwatch/chain-core';
import type { KnownCoin } from './coin.ts';

/** An unconfirmed transaction that somebody was told of, or that such a one stands on. */
export interface PendingTransaction {
  readonly hash: string;
  /** Records of it, one per project; none for one that concerns nobody. */
  readonly ids: ReadonlySet<string>;
  /** `outpointKey` of everything it spends. */
  readonly inputs: ReadonlySet<string>;
  /** Its outputs to watched addresses, by `outpointKey`. */
  readonly coins: ReadonlyMap<string, KnownCoin>;
}

/** A transaction that cannot be mined any more, or does not seem to. */
export interface DroppedTransaction extends PendingTransaction {
  /** What spent its coins, or those of a transaction it stands on. */
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
