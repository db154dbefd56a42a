import type { ChainFamilyName, Network } from '@chainwatch/chain-core';

/** One chain in the hands of this replica. */
export interface ChainContext {
  readonly gid: string;
  readonly family: ChainFamilyName;
  readonly network: Network;
  /** Fencing token: writes of a stale one fail. */
  readonly token: number;
  decimalsOf(assetGid: string): number | undefined;
  /** Decimals that the database knows by now. */
  learn(assetGid: string, decimals: number): void;
}
