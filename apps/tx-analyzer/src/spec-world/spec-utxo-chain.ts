// SPDX-License-Identifier: Apache-2.0
import { joinAssetGid, parseChainGid } from '@chainwatch/common/caip';
import type { Network, Outpoint, Transaction, UtxoCodec, UtxoMoves } from '@chainwatch/chain-core';
import { hashOf, network } from '@chainwatch/data/testing';

const CHAIN = parseChainGid('bip122:0f9188f13cb7b2c71f2a335e3a4fc328');
export const COIN = joinAssetGid(CHAIN, 'slip44:1');

export const utxoNetwork: Network = {
  ...network,
  gid: CHAIN,
  family: 'bitcoin',
  native: { gid: COIN, symbol: 'BTC', name: 'Bitcoin', decimals: 8 },
  confirmation: { type: 'depth', depth: 6 },
};

/** Scripts of a made-up family: `51` and the address in hex. */
export const codec: UtxoCodec = {
  coinbaseMaturityOf: () => 100,
  matchKeyOf: (address) => `51${Buffer.from(address).toString('hex')}`,
  findAddress: (_network, matchKey) =>
    matchKey.startsWith('51') ? Buffer.from(matchKey.slice(2), 'hex').toString() : undefined,
};

/** A script without an address. */
const NO_ADDRESS = '6a00';

/** `[address, amount]`, or `[undefined, amount]` for an output without an address. */
type SpecOutput = readonly [address: string | undefined, amountRaw: bigint];

/** Spends `inputs` (none: a coinbase) and pays `outputs`. */
export function makeUtxoTransaction(
  name: string,
  inputs: readonly Outpoint[],
  outputs: readonly SpecOutput[],
): Transaction & { readonly utxo: UtxoMoves } {
  return {
    hash: hashOf(`utxo ${name}`),
    index: 0,
    isFailed: false,
    transfers: [],
    utxo: {
      isCoinbase: inputs.length === 0,
      inputs,
      outputs: outputs.map(([address, amountRaw]) => ({
        matchKey: address === undefined ? NO_ADDRESS : codec.matchKeyOf(address),
        amountRaw,
      })),
    },
  };
}
