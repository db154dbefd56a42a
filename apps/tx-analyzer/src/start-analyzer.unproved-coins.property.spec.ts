// SPDX-License-Identifier: Apache-2.0
import type { Block, Outpoint, Transaction, UnknownPart } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import fc from 'fast-check';
import { outpointKey } from './model/coin.ts';
import { accept, makeBlind, partOf, passLimit, reprocess } from './spec-world/spec-unknown.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const NAMES = ['alice', 'bob', 'nobody'];
const FOREIGN = { txid: hashOf('foreign'), vout: 0 };

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

interface Plan {
  /** Which of the unspent coins each payment spends, and whom it pays. */
  readonly payments: readonly { readonly input: number; readonly to: number; readonly second: number }[];
  /** The first payment is of an unknown kind. */
  readonly isUnknown: boolean;
  /** What the node tells of it: the truth, more than it pays, a coin that it does not spend. */
  readonly lie: 'none' | 'more' | 'spend';
  readonly then: 'nothing' | 'reorg' | 'accept' | 'finalize' | 'restart';
}

const planOf: fc.Arbitrary<Plan> = fc.record({
  payments: fc.array(fc.record({ input: fc.nat(99), to: fc.nat(2), second: fc.nat(2) }), {
    minLength: 1,
    maxLength: 3,
  }),
  isUnknown: fc.boolean(),
  lie: fc.constantFrom('none', 'more', 'spend'),
  then: fc.constantFrom('nothing', 'reorg', 'accept', 'finalize', 'restart'),
});

/** Coins of the watched, spent ones with the transaction that spends them. */
function coinsOf(blocks: readonly Block[]): Map<string, { address: string; amount: string; by?: string }> {
  const coins = new Map<string, { address: string; amount: string; by?: string }>();
  for (const { hash, utxo } of blocks.flatMap((block) => block.transactions)) {
    for (const input of utxo!.inputs) {
      const coin = coins.get(outpointKey(input));
      if (coin !== undefined) coin.by = hash;
    }
    for (const [vout, { matchKey, amountRaw }] of utxo!.outputs.entries()) {
      const address = codec.findAddress(utxoNetwork, matchKey)!;
      coins.set(outpointKey({ txid: hash, vout }), { address, amount: String(amountRaw) });
    }
  }
  return coins;
}

class Play {
  readonly #world: SpecWorld;
  readonly #parts = new Map<string, readonly UnknownPart[]>();
  readonly #lies = new Map<string, (transaction: Transaction) => Transaction>();
  readonly blocks: Block[] = [];
  #made = 0;
  #final = 0;

  constructor(world: SpecWorld) {
    this.#world = world;
    world.chain.endpoints = [
      makeBlind('one', this.#parts, (block) => {
        const lie = this.#lies.get(block.hash);
        return lie === undefined
          ? block
          : { ...block, transactions: block.transactions.with(0, lie(block.transactions[0]!)) };
      }),
    ];
  }

  async run({ payments, isUnknown, lie, then }: Plan): Promise<void> {
    const made: Transaction[] = [];
    for (const { input, to, second } of payments) {
      const unspent = this.#listUnspent(made);
      const spent = unspent.length === 0 ? FOREIGN : unspent[input % unspent.length]!;
      this.#made += 1;
      made.push(
        makeUtxoTransaction(
          String(this.#made),
          [spent],
          [
            [NAMES[to], 10n],
            [NAMES[second], 7n],
          ],
        ),
      );
    }
    const block = this.#world.chain.make(this.blocks.at(-1), { transactions: made }, String(this.#made));
    if (isUnknown) {
      this.#parts.set(block.hash, [partOf('witness-version:2', made[0]!.hash)]);
      const another = this.#listUnspent(made)[0];
      if (lie !== 'none')
        this.#lies.set(block.hash, (one) => spoil(one, lie === 'spend' ? another : undefined));
    }
    this.blocks.push(block);
    await this.#world.feedBlocks(block);
    await this.#settle();
    await this.#do(then);
    await this.#settle();
    await this.expectNothingUnproved();
  }

  isUnknown({ hash }: Block): boolean {
    return this.#parts.has(hash);
  }

  /** No coin, and no spend, rests on a transaction that is withheld. */
  async expectNothingUnproved(): Promise<void> {
    expect(
      await this.#world.rows(
        `SELECT u.txid, u.vout, t.hash FROM utxos u JOIN transactions t ON t.is_withheld
           AND (t.hash = u.txid AND t.block_hash = u.block_hash OR t.hash = u.spent_by AND t.block_hash = u.spent_block_hash)`,
      ),
    ).toEqual([]);
  }

  async #do(then: Plan['then']): Promise<void> {
    if (then === 'accept') await accept(this.#world);
    if (then === 'restart') {
      await this.#world.stopAnalyzer();
      this.#world.startAnalyzer();
    }
    if (then === 'finalize') {
      this.#final = this.blocks.length;
      await this.#world.feedFinalize(this.blocks.at(-1)!);
    }
    if (then === 'reorg' && this.blocks.length > this.#final + 1)
      await this.#world.feedReorg([this.blocks.pop()!, this.blocks.pop()!].slice(0, 2));
  }

  /** Ends every wait meanwhile. */
  async #settle(): Promise<void> {
    await waitFor(
      async () => {
        await passLimit(this.#world);
        const [row] = await this.#world.rows<{ cursor_seq: number }>(
          'SELECT cursor_seq FROM analyzer_states',
        );
        return row?.cursor_seq === this.#world.seq;
      },
      { intervalMs: 3, timeoutMs: 30_000, message: 'the feed to be done' },
    );
  }

  #listUnspent(more: readonly Transaction[]): Outpoint[] {
    const unspent = new Map<string, Outpoint>();
    for (const { hash, utxo } of [...this.blocks.flatMap((block) => block.transactions), ...more]) {
      for (const input of utxo!.inputs) unspent.delete(outpointKey(input));
      for (const vout of utxo!.outputs.keys())
        unspent.set(outpointKey({ txid: hash, vout }), { txid: hash, vout });
    }
    return [...unspent.values()];
  }
}

/** Pays a thousand more, or spends `another` coin, too. */
function spoil(transaction: Transaction, another: Outpoint | undefined): Transaction {
  const utxo = transaction.utxo!;
  return {
    ...transaction,
    utxo:
      another === undefined
        ? { ...utxo, outputs: utxo.outputs.map((one) => ({ ...one, amountRaw: one.amountRaw + 1_000n })) }
        : { ...utxo, inputs: [...utxo.inputs, another] },
  };
}

describe('coins, whatever one node tells', () => {
  it('rest on nothing unproved, and are the truth when it comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planOf, { minLength: 3, maxLength: 8 }),
        fc.boolean(),
        async (plans, isNarrow) => {
          const world = await SpecWorld.start(postgres, {
            of: { network: utxoNetwork, utxo: codec },
            unknownWaitMs: 3_600_000,
            pollMs: 100,
          });
          try {
            const project = await world.addProject();
            await world.watch(project, 'alice');
            await world.watch(project, 'bob');
            world.startAnalyzer();
            const play = new Play(world);
            for (const plan of plans) await play.run(plan);
            await world.stopAnalyzer();
            world.chain.endpoints = [{ label: 'knows', tell: (block) => block }];
            world.startAnalyzer();
            const last = play.blocks.at(-1);
            if (last === undefined) return;
            await world.feedFinalize(last);
            await world.settle();
            const again = isNarrow ? play.blocks.filter((block) => play.isUnknown(block)) : [];
            for (const { number } of again) await reprocess(world, number, number);
            if (!isNarrow) await reprocess(world, 1, last.number);
            const rows = await world.rows<{
              txid: string;
              vout: number;
              address: string;
              amount_raw: string;
              spent_by: string | null;
            }>('SELECT txid, vout, address, amount_raw, spent_by FROM utxos');
            const got = rows.map(
              (row) => `${outpointKey(row)} ${row.address} ${row.amount_raw} ${row.spent_by ?? ''}`,
            );
            const expected = [...coinsOf(play.blocks)]
              .filter(([, { address }]) => address !== 'nobody')
              .map(([key, { address, amount, by = '' }]) => `${key} ${address} ${amount} ${by}`);
            expect(got.sort()).toEqual(expected.sort());
            expect(await world.rows('SELECT FROM unproved_coins')).toEqual([]);
            expect(await world.rows('SELECT FROM unproved_spends')).toEqual([]);
            expect(
              await world.rows("SELECT hash FROM transactions WHERE is_withheld AND status <> 'reorged'"),
            ).toEqual([]);
          } finally {
            await world.stop();
          }
        },
      ),
      {
        numRuns: Number(process.env['RUNS'] ?? 12),
        ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }),
      },
    );
  }, 240_000);
});
