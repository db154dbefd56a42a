// SPDX-License-Identifier: Apache-2.0
import type { Block, Coin, CoinReader, CoinScan, UtxoMoves } from '@chainwatch/chain-core';
import { outpointKey } from '../model/coin.ts';
import type { SpecChain } from './spec-chain.ts';
import { codec } from './spec-utxo-chain.ts';

/** The coins that stand after `blocks`, which begin with the first one. */
export function listCoins(network: SpecChain['network'], blocks: readonly Block[]): Coin[] {
  const coins = new Map<string, Coin>();
  for (const { number, transactions } of blocks)
    for (const { hash, utxo } of transactions) {
      const { isCoinbase, inputs, outputs } = utxo as UtxoMoves;
      for (const input of inputs) coins.delete(outpointKey(input));
      for (const [vout, { matchKey, amountRaw }] of outputs.entries()) {
        const address = codec.findAddress(network, matchKey);
        const coin = { txid: hash, vout, amountRaw, isCoinbase, blockNumber: number };
        if (address !== undefined) coins.set(outpointKey(coin), { ...coin, address });
      }
    }
  return [...coins.values()];
}

/** A node that tells coins by address, at the last of its blocks. */
export class SpecCoinScanner implements CoinReader {
  readonly #chain: SpecChain;
  readonly #readBlocks: () => readonly Block[];
  /** What was asked for, scan by scan. */
  readonly scans: { readonly at: number; readonly addresses: readonly string[] }[] = [];
  /** Changes an answer, or waits. Undefined: the node does not tell coins. */
  answer: (scan: CoinScan, signal?: AbortSignal) => CoinScan | undefined | Promise<CoinScan | undefined> = (
    scan,
  ) => scan;

  constructor(chain: SpecChain, readBlocks: () => readonly Block[]) {
    this.#chain = chain;
    this.#readBlocks = readBlocks;
    chain.coins = this;
  }

  async scanCoins(addresses: readonly string[], signal?: AbortSignal): Promise<CoinScan | undefined> {
    const blocks = this.#readBlocks();
    const at = blocks.at(-1)!;
    this.scans.push({ at: at.number, addresses });
    const wanted = new Set(addresses);
    const coins = listCoins(this.#chain.network, blocks).filter(({ address }) => wanted.has(address));
    return this.answer({ at: { number: at.number, hash: at.hash }, coins }, signal);
  }

  readSpentOutputs(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
