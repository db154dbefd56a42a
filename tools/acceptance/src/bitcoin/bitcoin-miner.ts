// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';
import type { BitcoinNode } from '../../../devnet/bitcoin/index.ts';
import type { Random } from '../random.ts';
import { pickFee, type BitcoinActor } from './bitcoin-actor.ts';
import { applyTransaction, findInputs, outpointOf, type ChainView, type ViewCoin } from './chain-view.ts';
import { VALUE_MIN } from './key-book.ts';

/** How often a transaction stands in a block as it is, or another one that spends the same. */
interface Habits {
  readonly keepChance: number;
  readonly contradictChance: number;
}

/** Makes blocks that a miner may make, and branches that a network may choose. */
export class BitcoinMiner {
  readonly #node: BitcoinNode;
  readonly #view: ChainView;
  readonly #actor: BitcoinActor;

  constructor(node: BitcoinNode, view: ChainView, actor: BitcoinActor) {
    this.#node = node;
    this.#view = view;
    this.#actor = actor;
  }

  /** The mempool, some of it, or what contradicts it. */
  async mine(random: Random, count: number): Promise<void> {
    const script = this.#actor.book.pickMiner(random);
    const dice = random.next();
    if (dice < 0.7) return void (await this.#node.mine(count, { script }));
    await this.#view.sync();
    const [transactions] = this.#fill(random, {
      parent: this.#view.height,
      count: 1,
      candidates: await this.#node.readMempool(),
      habits: {
        keepChance: 0.6,
        contradictChance: dice < 0.85 ? 0 : 0.4,
      },
    });
    await this.#node.mine(count, { script, transactions });
  }

  /**
   * Replaces the last `depth` blocks by one more. What they contained comes back in another block, waits in the mempool,
   * or is spent otherwise.
   */
  async reorg(random: Random, depth: number): Promise<void> {
    await this.#view.sync();
    const fork = this.#view.height - depth;
    const orphaned = this.#view.blocks.slice(fork).flatMap(({ transactions }) => transactions.slice(1));
    const candidates = [...orphaned, ...(await this.#node.readMempool())];
    const transactions = this.#fill(random, {
      parent: fork,
      count: depth + 1,
      candidates,
      habits: {
        keepChance: 0.55,
        contradictChance: 0.2,
      },
    });
    await this.#node.reorg({ depth, script: this.#actor.book.pickMiner(random), transactions });
  }

  /** The contents of `count` blocks on top of the one at height `parent`: what its coins allow, parents first. */
  #fill(
    random: Random,
    {
      parent,
      count,
      candidates,
      habits,
    }: {
      readonly parent: number;
      readonly count: number;
      readonly candidates: readonly Transaction[];
      readonly habits: Habits;
    },
  ): Transaction[][] {
    const contents: Transaction[][] = Array.from({ length: count }, () => []);
    const coins = this.#view.coinsAt(parent);
    let at = 0;
    for (const candidate of candidates) {
      if (random.next() < 0.4) at = Math.min(count - 1, at + random.int(0, 3));
      const chosen = this.#choose(random, { candidate, coins, habits });
      if (!chosen || !findInputs(coins, chosen, parent + at + 1)) continue;
      applyTransaction(coins, { transaction: chosen, height: parent + at + 1 });
      contents[at]!.push(chosen);
    }
    return contents;
  }

  #choose(
    random: Random,
    {
      candidate,
      coins,
      habits: { keepChance, contradictChance },
    }: {
      readonly candidate: Transaction;
      readonly coins: ReadonlyMap<string, ViewCoin>;
      readonly habits: Habits;
    },
  ): Transaction | undefined {
    const dice = random.next();
    if (dice < keepChance) return candidate;
    return dice < keepChance + contradictChance ? this.#contradict(random, candidate, coins) : undefined;
  }

  /** Another transaction that spends the first coin of this one. */
  #contradict(
    random: Random,
    transaction: Transaction,
    coins: ReadonlyMap<string, ViewCoin>,
  ): Transaction | undefined {
    const { book } = this.#actor;
    const [coin] = book.own(
      [coins.get(outpointOf(transaction.ins[0]!))].filter((found) => found !== undefined),
    );
    if (!coin || coin.value < VALUE_MIN * 50n) return undefined;
    return this.#actor.make([coin], book.split(random, coin.value - pickFee(random), random.int(1, 2)));
  }
}
