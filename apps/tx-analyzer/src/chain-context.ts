import type { ChainFamilyName, Network, UtxoCodec } from '@chainwatch/chain-core';
import type { OwnedShare } from '@chainwatch/ownership';
import type { CoinWatch } from './coin-watch.ts';

/** What a chain of unspent outputs is matched with. */
export interface UtxoAccess {
  readonly codec: UtxoCodec;
  readonly coins: CoinWatch;
}

/** One chain in the hands of this replica. */
export interface ChainContext {
  readonly gid: string;
  readonly family: ChainFamilyName;
  readonly network: Network;
  readonly utxo?: UtxoAccess;
  /** Every write goes through it: those of a former owner fail. */
  readonly share: OwnedShare;
  /** Label of the endpoint that told of a block with unknown parts. */
  endpointOf(block: object): string | undefined;
  /** The form of an address that records show. */
  displayOf(address: string): string;
  decimalsOf(assetGid: string): number | undefined;
  /** Decimals that the database knows by now. */
  learn(assetGid: string, decimals: number): void;
}
