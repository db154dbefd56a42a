// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';
import {
  BitcoinRpcError,
  buildTransaction,
  type BitcoinNode,
  type KeyedCoin,
  type TransactionOutput,
} from '../../../devnet/bitcoin/index.ts';
import type { Random } from '../random.ts';
import { applyTransaction, findInputs, isMature, outpointOf, type ChainView } from './chain-view.ts';
import { KeyBook, VALUE_MIN } from './key-book.ts';

const KEYS = 12;
const STRANGERS = 4;
const FUNDING_BLOCKS = 4;
const MATURING_BLOCKS = 100;
const COINS_PER_KEY = 3;

/** Moves coins on a regtest node, and remembers every transaction that was ever made. */
export class BitcoinActor {
  readonly #node: BitcoinNode;
  readonly #view: ChainView;
  readonly book = new KeyBook(KEYS, STRANGERS);
  /** By its id, whatever became of it. */
  readonly created = new Map<string, Transaction>();
  readonly #fees = new Map<string, bigint>();

  constructor(node: BitcoinNode, view: ChainView) {
    this.#node = node;
    this.#view = view;
  }

  /** Gives every key some coins. */
  async start(): Promise<void> {
    const [miner] = this.book.keys;
    await this.#node.mine(FUNDING_BLOCKS, { script: miner!.script });
    await this.#node.mine(MATURING_BLOCKS);
    const coins = await this.spendable();
    const share = sum(coins) / BigInt(KEYS * COINS_PER_KEY + 1);
    const outputs = this.book.keys.flatMap(({ script }) =>
      Array.from({ length: COINS_PER_KEY }, () => ({ script, value: share })),
    );
    await this.send(coins, outputs);
    await this.#node.mine();
  }

  /** Coins that a transaction of now may spend, those of the mempool included. */
  async spendable(): Promise<KeyedCoin[]> {
    await this.#view.sync();
    const coins = new Map(this.#view.coins);
    for (const transaction of await this.#node.readMempool())
      applyTransaction(coins, { transaction, height: this.#view.height + 1 });
    return this.book.own([...coins.values()].filter((coin) => isMature(coin, this.#view.height + 1)));
  }

  /** Undefined when the node refuses it, as it refuses the 26th link of a chain of unconfirmed transactions. */
  async send(
    coins: readonly KeyedCoin[],
    outputs: readonly TransactionOutput[],
  ): Promise<Transaction | undefined> {
    const transaction = this.make(coins, outputs);
    try {
      await this.#node.send(transaction);
    } catch (error) {
      if (error instanceof BitcoinRpcError) return undefined;
      throw error;
    }
    return transaction;
  }

  /** Signed, remembered, sent to nobody. */
  make(coins: readonly KeyedCoin[], outputs: readonly TransactionOutput[]): Transaction {
    const transaction = buildTransaction({ coins, outputs });
    this.created.set(transaction.getId(), transaction);
    this.#fees.set(transaction.getId(), sum(coins) - sum(outputs));
    return transaction;
  }

  /** One to three coins go to one to four recipients. */
  async pay(random: Random): Promise<void> {
    const coins = take(random, await this.spendable(), random.int(1, 3));
    const total = sum(coins) - pickFee(random);
    if (total >= VALUE_MIN) await this.send(coins, this.book.split(random, total, random.int(1, 4)));
  }

  /** A transaction of the mempool is replaced: by one that pays the same recipients, or others. */
  async replace(random: Random): Promise<void> {
    const mempool = await this.#node.readMempool();
    if (mempool.length === 0) return;
    const old = random.pick(mempool);
    const coins = await this.#coinsOf(old, mempool);
    const fee = this.#feeOfFamily(old, mempool) + BigInt(random.int(20_000, 60_000));
    const rest = sum(coins ?? []) - fee;
    if (!coins || rest < VALUE_MIN) return;
    const outputs =
      random.next() < 0.4
        ? shrink(old.outs, fee - this.#fees.get(old.getId())!)
        : this.book.split(random, rest, random.int(1, 3));
    if (outputs) await this.send(coins, outputs);
  }

  async #coinsOf(
    transaction: Transaction,
    mempool: readonly Transaction[],
  ): Promise<KeyedCoin[] | undefined> {
    await this.#view.sync();
    const coins = new Map(this.#view.coins);
    for (const other of mempool.slice(0, mempool.indexOf(transaction)))
      applyTransaction(coins, { transaction: other, height: this.#view.height + 1 });
    const own = this.book.own(findInputs(coins, transaction, this.#view.height + 1) ?? []);
    return own.length === transaction.ins.length ? own : undefined;
  }

  /** What the transaction and everything in the mempool that stands on it pay. */
  #feeOfFamily(root: Transaction, mempool: readonly Transaction[]): bigint {
    const family = new Set([root.getId()]);
    for (const transaction of mempool)
      if (transaction.ins.some((input) => family.has(outpointOf(input).split(':')[0]!)))
        family.add(transaction.getId());
    return [...family].reduce((total, txid) => total + (this.#fees.get(txid) ?? 0n), 0n);
  }
}

export function pickFee(random: Random): bigint {
  return BigInt(random.int(3_000, 20_000));
}

function sum(legs: readonly { readonly value: bigint }[]): bigint {
  return legs.reduce((total, { value }) => total + value, 0n);
}

/** The same outputs, the greatest of them smaller by `amount`; undefined when it is not great enough. */
function shrink(outputs: readonly TransactionOutput[], amount: bigint): TransactionOutput[] | undefined {
  const greatest = outputs.reduce(
    (best, output, index) => (output.value > outputs[best]!.value ? index : best),
    0,
  );
  if (outputs[greatest]!.value - amount < VALUE_MIN) return undefined;
  return outputs.map(({ script, value }, index) => ({
    script,
    value: index === greatest ? value - amount : value,
  }));
}

/** Up to `count` of them, at random. */
function take<T>(random: Random, items: readonly T[], count: number): T[] {
  const left = [...items];
  return Array.from(
    { length: Math.min(count, items.length) },
    () => left.splice(random.int(0, left.length - 1), 1)[0]!,
  );
}
