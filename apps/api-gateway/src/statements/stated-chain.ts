// SPDX-License-Identifier: Apache-2.0
/** A chain of a statement. */
export interface StatedChain {
  readonly gid: string;
  readonly family: string;
  /** Balances are sums of proved coins; else a node states them. */
  readonly isOfCoins: boolean;
}

/** Its blocks: balances as of the first number, and what happened after it up to the second. */
export interface StatedWindow {
  readonly chain: StatedChain;
  readonly openNumber: number;
  readonly closeNumber: number;
}
