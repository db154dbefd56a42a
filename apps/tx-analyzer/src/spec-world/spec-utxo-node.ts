// SPDX-License-Identifier: Apache-2.0
import type { Block, Outpoint, Transaction, UtxoMoves } from '@chainwatch/chain-core';
import { hashOf } from '@chainwatch/data/testing';
import { outpointKey } from '../model/coin.ts';
import { SpecMempool, type SpecChain } from './spec-chain.ts';
import { codec, makeUtxoTransaction } from './spec-utxo-chain.ts';

type UtxoTransaction = Transaction & { readonly utxo: UtxoMoves };

interface SpecCoin extends Outpoint {
  readonly address: string;
  readonly amountRaw: bigint;
}

const FOREIGN_RAW = 1_000n;

/** A node's chain and mempool by the rules of outpoints: nothing is spent twice, parents come first. */
export class SpecUtxoNode {
  readonly canonical: Block[] = [];
  readonly mempool = new Map<string, UtxoTransaction>();
  /** Every transaction that ever was. */
  readonly known = new Map<string, UtxoTransaction>();
  readonly reader = new SpecMempool();
  readonly #chain: SpecChain;
  #count = 0;

  constructor(chain: SpecChain) {
    this.#chain = chain;
    chain.mempool = this.reader;
  }

  get tip(): Block {
    return this.canonical.at(-1)!;
  }

  /** Coins that may be spent, and those that the mempool spends already. */
  coins(): { free: SpecCoin[]; spent: Map<string, string> } {
    const transactions = [
      ...this.canonical.flatMap((block) => block.transactions as UtxoTransaction[]),
      ...this.mempool.values(),
    ];
    const spent = new Map(
      transactions.flatMap(({ hash, utxo }) =>
        utxo.inputs.map((input) => [outpointKey(input), hash] as const),
      ),
    );
    const free = transactions
      .flatMap(({ hash }) => this.coinsOf(hash))
      .filter((coin) => !spent.has(outpointKey(coin)));
    return { free, spent };
  }

  coinsOf(txid: string): SpecCoin[] {
    return (this.known.get(txid)?.utxo.outputs ?? []).map(({ matchKey, amountRaw }, vout) => ({
      txid,
      vout,
      amountRaw,
      address: codec.findAddress(this.#chain.network, matchKey) ?? '',
    }));
  }

  /** Undefined for a foreign coin, which no transaction here created. */
  coinAt(outpoint: Outpoint): SpecCoin | undefined {
    return this.coinsOf(outpoint.txid)[outpoint.vout];
  }

  /** Makes a transaction that spends `inputs`, or a foreign coin, and pays all but 1 to `addresses`. */
  make(inputs: readonly Outpoint[], addresses: readonly string[]): UtxoTransaction {
    this.#count += 1;
    const own = inputs.length > 0 ? inputs : [{ txid: hashOf(`foreign ${this.#count}`), vout: 0 }];
    const total = own.reduce((sum, input) => sum + (this.coinAt(input)?.amountRaw ?? FOREIGN_RAW), 0n);
    const share = (total - 1n) / BigInt(addresses.length);
    const made = makeUtxoTransaction(
      `tx ${this.#count}`,
      own,
      addresses.map((address) => [address, share > 0n ? share : 0n] as const),
    );
    this.known.set(made.hash, made);
    return made;
  }

  /** What a node does with an incoming transaction: accepts it in place of those it conflicts with, or rejects it. */
  accept(transaction: UtxoTransaction): boolean {
    const { spent } = this.coins();
    const live = new Set([
      ...this.canonical.flatMap((block) => block.transactions.map(({ hash }) => hash)),
      ...this.mempool.keys(),
    ]);
    if (live.has(transaction.hash)) return false;
    const rivals = transaction.utxo.inputs
      .map((input) => spent.get(outpointKey(input)))
      .filter((hash) => hash !== undefined);
    if (rivals.some((hash) => !this.mempool.has(hash))) return false;
    for (const rival of rivals) this.drop(rival);
    if (
      transaction.utxo.inputs.some(
        ({ txid }) => this.known.has(txid) && !this.mempool.has(txid) && !this.isMined(txid),
      )
    )
      return false;
    this.mempool.set(transaction.hash, transaction);
    return true;
  }

  isMined(hash: string): boolean {
    return this.canonical.some((block) =>
      block.transactions.some((transaction) => transaction.hash === hash),
    );
  }

  /** Removes it from the mempool with all its descendants. */
  drop(hash: string): void {
    if (!this.mempool.delete(hash)) return;
    for (const child of [...this.mempool.values()])
      if (child.utxo.inputs.some(({ txid }) => txid === hash)) this.drop(child.hash);
  }

  /**
   * Mines a block of the mempool transactions that `takes` selects (a parent left out leaves out its children), and
   * of `more`.
   */
  mine(takes: (position: number) => boolean, more: readonly UtxoTransaction[] = []): Block {
    for (const { utxo } of more) {
      for (const input of utxo.inputs)
        for (const rival of [...this.mempool.values()])
          if (rival.utxo.inputs.some((each) => outpointKey(each) === outpointKey(input)))
            this.drop(rival.hash);
    }
    const taken: UtxoTransaction[] = [...more];
    for (const [position, transaction] of [...this.mempool.values()].entries()) {
      const isReady = transaction.utxo.inputs.every(
        ({ txid }) => !this.mempool.has(txid) || taken.some(({ hash }) => hash === txid),
      );
      if (isReady && takes(position)) taken.push(transaction);
    }
    for (const { hash } of taken) this.mempool.delete(hash);
    this.#count += 1;
    const block = this.#chain.make(this.canonical.at(-1), { transactions: taken }, String(this.#count));
    this.canonical.push(block);
    return block;
  }

  /** Removes the last blocks, newest first. Their transactions return to the mempool, unless they conflict. */
  undo(count: number): Block[] {
    const orphans = this.canonical.splice(this.canonical.length - count).reverse();
    const waiting = [...this.mempool.values()];
    this.mempool.clear();
    for (const orphan of orphans.toReversed())
      for (const { hash } of orphan.transactions) this.accept(this.known.get(hash)!);
    for (const transaction of waiting) this.accept(transaction);
    return orphans;
  }

  /** From now on the world sees the mempool as it is. */
  show(): void {
    this.reader.set(this.tip, ...this.mempool.values());
  }
}
