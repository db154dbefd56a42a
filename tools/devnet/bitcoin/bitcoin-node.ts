// SPDX-License-Identifier: Apache-2.0
import { Block, payments, Transaction } from 'bitcoinjs-lib';
import { createBitcoinRpc, type BitcoinRpc } from './bitcoin-rpc.ts';
import { buildBlock } from './build-block.ts';
import type { KeyedCoin } from './build-transaction.ts';
import { readCoins } from './read-coins.ts';
import { sortTransactions } from './sort-transactions.ts';
import type { ScriptKey } from './script-keys.ts';

export interface MineOptions {
  /** Whom the blocks' subsidies go to. Default: nobody. */
  readonly script?: Uint8Array;
  /** Of the first block, parents before children. Default: the whole mempool. */
  readonly transactions?: readonly Transaction[];
}

export interface ReorgOptions {
  /** How many of the newest blocks are replaced, by one more than that. */
  readonly depth: number;
  /** Whom the new blocks' subsidies go to. Default: nobody. */
  readonly script?: Uint8Array;
  /** What the new blocks contain, by their order. Default: nothing. */
  readonly transactions?: readonly (readonly Transaction[])[];
}

export interface BitcoinNode extends BitcoinRpc {
  readHeight(): Promise<number>;
  /** @returns the hashes of the new blocks */
  mine(count?: number, options?: MineOptions): Promise<string[]>;
  /** As on a real network: the node learns of a longer branch and changes over to it. @returns the hashes of the new blocks */
  reorg(options: ReorgOptions): Promise<string[]>;
  /** @returns the txid @throws BitcoinRpcError with the reason of the refusal */
  send(transaction: Transaction): Promise<string>;
  /** Parents before children. */
  readMempool(): Promise<Transaction[]>;
  readBlock(hashOrHeight: string | number): Promise<Block>;
  /** The confirmed coins of `keys` that the node calls unspent, immature ones included. */
  readCoins(
    keys: readonly ScriptKey[],
  ): Promise<(KeyedCoin & { readonly height: number; readonly isCoinbase: boolean })[]>;
}

interface Tip {
  readonly hash: string;
  readonly height: number;
  readonly time: number;
}

const NOBODY = payments.embed({ data: [new TextEncoder().encode('nobody')] }).output!;

/** @param url with user and password */
export function connectBitcoinNode(url: string): BitcoinNode {
  const rpc = createBitcoinRpc(url);
  const readMempool = async (): Promise<Transaction[]> => {
    const txids = await rpc.call<string[]>('getrawmempool');
    return sortTransactions(
      (
        await rpc.batch<string>(
          'getrawtransaction',
          txids.map((txid) => [txid]),
        )
      ).map((hex) => Transaction.fromHex(hex)),
    );
  };
  return {
    ...rpc,
    readHeight: () => rpc.call<number>('getblockcount'),
    async mine(count = 1, { script, transactions } = {}) {
      const first = transactions ?? (await readMempool());
      return extend(rpc, {
        tip: await readTip(rpc),
        contents: Array.from({ length: count }, (_, index) => (index === 0 ? first : [])),
        script,
      });
    },
    async reorg({ depth, script, transactions = [] }) {
      const ancestor = await readTip(rpc, (await rpc.call<number>('getblockcount')) - depth);
      return extend(rpc, {
        tip: ancestor,
        contents: Array.from({ length: depth + 1 }, (_, index) => transactions[index] ?? []),
        script,
      });
    },
    send: (transaction) => rpc.call<string>('sendrawtransaction', [transaction.toHex()]),
    readMempool,
    async readBlock(hashOrHeight) {
      const hash =
        typeof hashOrHeight === 'string'
          ? hashOrHeight
          : await rpc.call<string>('getblockhash', [hashOrHeight]);
      return Block.fromHex(await rpc.call<string>('getblock', [hash, 0]));
    },
    readCoins: (keys) => readCoins(rpc, keys),
  };
}

async function readTip(rpc: BitcoinRpc, height?: number): Promise<Tip> {
  const hash =
    height === undefined
      ? await rpc.call<string>('getbestblockhash')
      : await rpc.call<string>('getblockhash', [height]);
  return rpc.call<Tip>('getblockheader', [hash]);
}

/** One block per list of transactions on top of `tip`; their times end now, unless the chain is ahead of the clock already. */
async function extend(
  rpc: BitcoinRpc,
  {
    tip,
    contents,
    script = NOBODY,
  }: {
    readonly tip: Tip;
    readonly contents: readonly (readonly Transaction[])[];
    readonly script?: Uint8Array;
  },
): Promise<string[]> {
  const now = Math.floor(Date.now() / 1_000);
  const blocks: Block[] = [];
  let previous = tip;
  for (const [index, transactions] of contents.entries()) {
    const height = previous.height + 1;
    const time = Math.max(previous.time + 1, now - (contents.length - index - 1));
    const block = buildBlock({ previousHash: previous.hash, height, time, script, transactions });
    blocks.push(block);
    previous = { hash: block.getId(), height, time };
  }
  for (const block of blocks) await submit(rpc, block);
  return blocks.map((block) => block.getId());
}

/** @throws Error when the node refuses the block; one of a branch that is not the longest yet is fine */
async function submit(rpc: BitcoinRpc, block: Block): Promise<void> {
  const verdict = await rpc.call<string | null>('submitblock', [block.toHex()]);
  if (verdict !== null && verdict !== 'inconclusive')
    throw new Error(`expected the node to take block ${block.getId()}, got ${verdict}`);
}
