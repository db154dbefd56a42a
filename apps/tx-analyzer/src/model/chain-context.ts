// SPDX-License-Identifier: Apache-2.0
import type { AddressFilter, ChainFamilyName, Network, Outpoint, UtxoCodec } from '@chainwatch/chain-core';
import type { Transaction } from '@chainwatch/data/db';
import type { OwnedShare } from '@chainwatch/data/ownership';
import type { SetAsides } from './set-asides.ts';

/** Unspent coins of watched addresses, by `outpointKey`. */
export interface CoinFilter extends AddressFilter {
  /** Reads them from the database, once; they are kept current from then on. */
  load(): Promise<void>;
  add(outpoints: readonly Outpoint[]): void;
  /** @param listener hears of the keys of every coin that is added */
  listen(listener: (keys: readonly string[]) => void): void;
}

/** What a chain of unspent outputs is matched with. */
export interface UtxoAccess {
  readonly codec: UtxoCodec;
  readonly coins: CoinFilter;
}

/** One chain that this replica owns. */
export interface ChainContext {
  readonly gid: string;
  readonly family: ChainFamilyName;
  readonly network: Network;
  readonly utxo?: UtxoAccess;
  /** Every write goes through the share, so that writes of a former owner fail. */
  readonly share: OwnedShare;
  /** Transactions with which a step fails. */
  readonly setAsides: SetAsides;
  /** Endpoints of different operators are configured: what one of them attests, another one is asked about. */
  readonly hasOthers: boolean;
  /** Label of the endpoint that returned a block with unknown parts. */
  endpointOf(block: object): string | undefined;
  /** The form of an address that records show. */
  displayOf(address: string): string;
  decimalsOf(assetGid: string): number | undefined;
  /** Whether an asset is a collection: what its transfers call an amount is an id. */
  isNft(assetGid: string): boolean;
  /** Records decimals that the database has now. */
  learn(assetGid: string, decimals: number): void;
}

/** An open transaction of the owner: the chain's row is locked. */
export interface StepTransaction {
  readonly sql: Transaction;
  readonly chain: ChainContext;
  readonly now: Date;
}
