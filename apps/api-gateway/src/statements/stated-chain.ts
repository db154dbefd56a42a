/** A chain of a statement. */
export interface StatedChain {
  readonly gid: string;
  readonly family: string;
  /** Balances are sums of proved coins; else a node states them. */
  readonly isOfCoins: boolean;
}
