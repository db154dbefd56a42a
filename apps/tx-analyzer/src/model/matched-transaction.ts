// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef, Transaction, Transfer } from '@chainwatch/chain-core';
import type { OwnData } from '@chainwatch/events';

/** A monitored address of a project, as the database confirmed it. */
export interface WatchedAddress {
  readonly id: string;
  readonly projectId: string;
  /** Canonical form. */
  readonly address: string;
  /** Blocks below do not count for it. */
  readonly fromBlock: number;
  /** Derived from a public key and never seen in a transaction: counts towards the gap limit. */
  readonly isUnused?: boolean;
  readonly own: OwnData;
}

/** Confirmed addresses by their canonical form; several projects may watch the same one. */
export type WatchedByAddress = ReadonlyMap<string, readonly WatchedAddress[]>;

/** A monitored address that takes part in a transaction. */
export interface Participant {
  readonly id: string;
  /** Canonical form. */
  readonly address: string;
  readonly own: OwnData;
  /** Kept for the events still to come, and for nothing else. */
  readonly isDeleted?: boolean;
}

/**
 * A transfer with the project's addresses that take part in it; none when the project spends an output and this leg
 * pays others.
 */
export interface MatchedTransfer extends Transfer {
  readonly monitored: readonly string[];
}

export type Direction = 'in' | 'out' | 'self';

/** The block itself: what is told of it is looked up by this object. */
export type MatchedBlock = BlockRef & Pick<Block, 'timestamp' | 'unknowns' | 'leavesOut'>;

/** What one transaction means to one project. */
export interface MatchedTransaction {
  readonly projectId: string;
  readonly block: MatchedBlock;
  readonly transaction: Transaction;
  /**
   * Transfers that touch an address of the project and, if it spends outputs, those that pay others; ordered by
   * index.
   */
  readonly transfers: readonly MatchedTransfer[];
  readonly participants: readonly Participant[];
  readonly direction: Direction;
  readonly traceparent?: string;
}
