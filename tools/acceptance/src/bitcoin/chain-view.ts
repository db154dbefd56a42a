// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from 'bitcoinjs-lib';
import type { BitcoinNode } from '../../../devnet/bitcoin/index.ts';

/** An unspent output of the canonical chain. */
export interface ViewCoin {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  /** Hex. */
  readonly script: string;
  readonly height: number;
  readonly isCoinbase: boolean;
}

export interface ViewBlock {
  readonly hash: string;
  readonly height: number;
  readonly transactions: readonly Transaction[];
}

const COINBASE_MATURITY = 100;

/**
 * The canonical chain as the node's raw blocks tell it, with the coins that they leave unspent. Shares no code with the
 * service: it is the oracle's.
 */
export class ChainView {
  readonly #node: BitcoinNode;
  /** By height, from 1 on: the output of the genesis block cannot be spent. */
  readonly #blocks: ViewBlock[] = [];
  /** What each block spent, to put it back. */
  readonly #spent: ViewCoin[][] = [];
  readonly #coins = new Map<string, ViewCoin>();

  constructor(node: BitcoinNode) {
    this.#node = node;
  }

  get height(): number {
    return this.#blocks.length;
  }

  get blocks(): readonly ViewBlock[] {
    return this.#blocks;
  }

  get coins(): ReadonlyMap<string, ViewCoin> {
    return this.#coins;
  }

  /** Follows the node to its head. */
  async sync(): Promise<void> {
    const height = await this.#node.readHeight();
    while (this.height > height) this.#pop();
    while (this.height > 0 && (await this.#readHash(this.height)) !== this.#blocks.at(-1)!.hash) this.#pop();
    for (let next = this.height + 1; next <= height; next += 1) this.#push(await this.#node.readBlock(next));
  }

  /** The coins that were unspent when the block at `height` was the head. */
  coinsAt(height: number): Map<string, ViewCoin> {
    const coins = new Map(this.#coins);
    for (let index = this.height - 1; index >= height; index -= 1)
      undo(coins, this.#blocks[index]!, this.#spent[index]!);
    return coins;
  }

  #readHash(height: number): Promise<string> {
    return this.#node.call<string>('getblockhash', [height]);
  }

  #push(block: Block): void {
    const height = this.height + 1;
    const transactions = block.transactions ?? [];
    const spent: ViewCoin[] = [];
    for (const transaction of transactions) applyTransaction(this.#coins, { transaction, height, spent });
    this.#blocks.push({ hash: block.getId(), height, transactions });
    this.#spent.push(spent);
  }

  #pop(): void {
    undo(this.#coins, this.#blocks.pop()!, this.#spent.pop()!);
  }
}

export function outpointOf({ hash, index }: { readonly hash: Uint8Array; readonly index: number }): string {
  return `${Buffer.from(hash).reverse().toString('hex')}:${index}`;
}

/** Spends its inputs and adds its outputs; what it spends is noted. */
export function applyTransaction(
  coins: Map<string, ViewCoin>,
  {
    transaction,
    height,
    spent = [],
  }: { readonly transaction: Transaction; readonly height: number; readonly spent?: ViewCoin[] },
): void {
  const txid = transaction.getId();
  const isCoinbase = transaction.isCoinbase();
  for (const input of isCoinbase ? [] : transaction.ins) {
    const outpoint = outpointOf(input);
    const coin = coins.get(outpoint);
    if (coin) spent.push(coin);
    coins.delete(outpoint);
  }
  transaction.outs.forEach(({ script, value }, vout) =>
    coins.set(`${txid}:${vout}`, {
      txid,
      vout,
      value,
      script: Buffer.from(script).toString('hex'),
      height,
      isCoinbase,
    }),
  );
}

/** Whether a transaction may stand in a block at `height`, and its inputs' coins. */
export function findInputs(
  coins: ReadonlyMap<string, ViewCoin>,
  transaction: Transaction,
  height: number,
): ViewCoin[] | undefined {
  const inputs = transaction.ins.map((input) => coins.get(outpointOf(input)));
  return inputs.every((coin) => coin !== undefined && isMature(coin, height))
    ? (inputs as ViewCoin[])
    : undefined;
}

export function isMature(coin: ViewCoin, height: number): boolean {
  return !coin.isCoinbase || height - coin.height >= COINBASE_MATURITY;
}

function undo(coins: Map<string, ViewCoin>, block: ViewBlock, spent: readonly ViewCoin[]): void {
  for (const transaction of block.transactions) {
    const txid = transaction.getId();
    transaction.outs.forEach((_output, vout) => coins.delete(`${txid}:${vout}`));
  }
  // What was created and spent in this block alone is not brought back.
  for (const coin of spent) if (coin.height !== block.height) coins.set(`${coin.txid}:${coin.vout}`, coin);
}
