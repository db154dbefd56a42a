// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from 'bitcoinjs-lib';
import { buildSpecBlock } from './spec-blocks.ts';
import { readTraits } from './networks.ts';
import { networkNamed } from './spec-fixtures.ts';
import { NodeError } from './spec-fake-node.ts';

type Methods = Record<string, (...params: never[]) => unknown>;

/** Regtest blocks under the real genesis, and the calls by which a node tells them. */
export interface FakeChain {
  readonly blocks: Block[];
  readonly methods: Methods;
  extend(transactions?: readonly Transaction[]): Block;
}

const genesisHash = readTraits(networkNamed('bitcoin-regtest')).identity[0]!.hash;

/** @param length blocks above the genesis, which itself is known by its hash alone */
export function createFakeChain(length: number): FakeChain {
  const blocks: Block[] = [];
  const hashAt = (height: number): string => (height === 0 ? genesisHash : blocks[height - 1]!.getId());
  const find = (hash: string): { block: Block; height: number } => {
    const at = blocks.findIndex((block) => block.getId() === hash);
    if (at < 0) throw new NodeError(-5, 'Block not found');
    return { block: blocks[at]!, height: at + 1 };
  };
  const extend = (transactions: readonly Transaction[] = []): Block => {
    const block = buildSpecBlock({
      transactions,
      previous: blocks.at(-1)?.getHash() ?? Buffer.from(genesisHash, 'hex').reverse(),
    });
    blocks.push(block);
    return block;
  };
  for (let height = 1; height <= length; height++) extend();
  const methods: Methods = {
    getbestblockhash: () => hashAt(blocks.length),
    getblockhash: (height: number) => {
      if (height > blocks.length) throw new NodeError(-8, 'Block height out of range');
      return hashAt(height);
    },
    getblockheader: (hash: string, isVerbose: boolean) => {
      const { block, height } = find(hash);
      return isVerbose ? { hash, height, confirmations: 1 } : block.toHex(true);
    },
    getblock: (hash: string, verbosity: number | boolean) => {
      const { block } = find(hash);
      if (verbosity === 0 || verbosity === false) return block.toHex();
      return {
        hash,
        tx: block.transactions!.map((transaction) => ({ txid: transaction.getId(), vin: [{}] })),
      };
    },
  };
  return { blocks, methods, extend };
}
