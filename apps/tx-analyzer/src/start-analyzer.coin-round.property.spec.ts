// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Block, Coin, CoinScan } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import { outpointKey } from './model/coin.ts';
import { listCoins, SpecCoinScanner } from './spec-world/spec-coin-scanner.ts';
import { codec, COIN, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecUtxoNode } from './spec-world/spec-utxo-node.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const RUNS = Number(process.env.COIN_ROUND_RUNS ?? 10);
/** Runs that exceed this time are left out, unless a number of runs is given. */
const TIME_MS = process.env.COIN_ROUND_RUNS === undefined ? 60_000 : Number.POSITIVE_INFINITY;
const POOL = ['alice', 'bob', 'stranger'];
const WATCHED = ['alice', 'bob'];

const payment = fc.record({
  inputs: fc.array(fc.nat(1_000), { maxLength: 3 }),
  to: fc.array(fc.constantFrom(...POOL), { minLength: 1, maxLength: 3 }),
});
/** What went wrong in the database: a coin left out, its spend left out, or a coin that was never there. */
const damage = fc.record({
  type: fc.constant('damage' as const),
  kind: fc.constantFrom('lose', 'unspend', 'invent', 'alter'),
  which: fc.nat(1_000),
});
const lie = fc.record({
  type: fc.constant('lie' as const),
  kind: fc.constantFrom('leave out', 'invent', 'alter'),
  which: fc.nat(1_000),
});
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('block' as const),
      payments: fc.array(payment, { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('finalize' as const), behind: fc.integer({ min: 0, max: 4 }) }),
  },
  { weight: 2, arbitrary: damage },
  { weight: 3, arbitrary: lie },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('scan' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Lie = Extract<Operation, { type: 'lie' }>;

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

class History {
  readonly world: SpecWorld;
  readonly node: SpecUtxoNode;
  readonly scanner: SpecCoinScanner;
  /** The next scan's. */
  #lie: Lie | undefined;
  /** A node that is wrong about a coin is right about it the next time. */
  readonly #liedAbout = new Set<string>();
  #count = 0;
  #finalized = 0;

  private constructor(world: SpecWorld) {
    this.world = world;
    this.node = new SpecUtxoNode(world.chain);
    this.scanner = new SpecCoinScanner(world.chain, () => this.node.canonical);
    this.scanner.answer = (scan) => this.#answer(scan);
  }

  static async start(): Promise<History> {
    const of = { network: utxoNetwork, utxo: codec };
    const world = await SpecWorld.start(postgres, {
      of,
      pollMs: 100,
      coinRoundIntervalMs: 1,
      mempoolPollMs: 0,
    });
    world.isPacking = true;
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'slip44', '1', 'native', 'active', 8)`,
      [COIN, world.gid],
    );
    const [first, second] = [await world.addProject(), await world.addProject()];
    for (const [project, address] of [
      [first, 'alice'],
      [first, 'bob'],
      [second, 'bob'],
    ] as const)
      await world.watch(project, address);
    await world.db.query(`UPDATE address_backfills SET method = 'scan', from_block = 0`);
    const history = new History(world);
    await history.#mine([]);
    world.startAnalyzer();
    return history;
  }

  async play(one: Operation, isDamaged: boolean): Promise<void> {
    if (one.type === 'block') return this.#mine(one.payments);
    if (one.type === 'reorg') return this.#reorg(one.depth);
    if (one.type === 'finalize') return this.#finalize(this.node.canonical.length - one.behind);
    if (one.type === 'lie') return void (this.#lie = one);
    if (one.type === 'scan') return this.scan(one.count);
    if (one.type === 'restart') {
      await this.world.stopAnalyzer();
      return this.world.startAnalyzer();
    }
    if (isDamaged) return this.#damage(one);
  }

  /** Some scans, of whatever block. */
  async scan(count: number): Promise<void> {
    const before = this.scanner.scans.length;
    await waitFor(() => this.scanner.scans.length > before + count, { intervalMs: 2, message: 'the scans' });
  }

  /** What the chain has, coin by coin. */
  expected(): string[] {
    return listCoins(this.world.chain.network, this.node.canonical)
      .filter(({ address }) => WATCHED.includes(address))
      .map((coin) => `${outpointKey(coin)} ${coin.address} ${coin.amountRaw}`)
      .sort();
  }

  async actual(): Promise<string[]> {
    const rows = await this.world.rows<{ txid: string; vout: number; address: string; amount_raw: string }>(
      'SELECT txid, vout, address, amount_raw FROM utxos WHERE spent_block_number IS NULL',
    );
    return rows.map((row) => `${outpointKey(row)} ${row.address} ${row.amount_raw}`).sort();
  }

  /** Some blocks later rounds have found everything. */
  async finish(isDamaged: boolean): Promise<void> {
    this.#lie = undefined;
    await this.world.settle();
    const deadline = Date.now() + 60_000;
    do {
      await this.#mine([]);
      await this.world.settle();
      await this.scan(3);
      if (isDamaged) await this.#takeOver();
      if (Date.now() > deadline) break;
    } while (
      JSON.stringify(await this.actual()) !== JSON.stringify(this.expected()) ||
      (await this.world.rows('SELECT FROM balance_differences WHERE coins IS NOT NULL')).length > 0
    );
  }

  /** What the balance service does with what is handed over. */
  async #takeOver(): Promise<void> {
    await this.world.db.query('DELETE FROM balance_differences WHERE coins IS NULL');
  }

  /** Every coin is spent, as by any other transaction. */
  async spendAll(): Promise<void> {
    const { free } = this.node.coins();
    const all = free.filter(({ address }) => WATCHED.includes(address));
    await this.#feed(
      this.node.mine(
        () => true,
        all.map((coin) => this.node.make([coin], ['stranger'])),
      ),
    );
    await this.world.settle();
  }

  async #mine(
    payments: readonly (typeof payment extends fc.Arbitrary<infer T> ? T : never)[],
  ): Promise<void> {
    for (const { inputs, to } of payments) {
      const { free } = this.node.coins();
      const chosen = new Map(
        inputs
          .flatMap((position) => free[position % Math.max(free.length, 1)] ?? [])
          .map((coin) => [outpointKey(coin), coin]),
      );
      this.node.accept(this.node.make([...chosen.values()], to));
    }
    await this.#feed(this.node.mine(() => true));
  }

  async #feed(block: Block): Promise<void> {
    this.world.chain.tip = block;
    await this.world.feedBlocks(block);
  }

  async #reorg(wanted: number): Promise<void> {
    const depth = Math.min(wanted, this.node.canonical.length - Math.max(this.#finalized, 1));
    if (depth < 1) return;
    // At once: a scan between them would be of a chain that nobody follows.
    const orphans = this.node.undo(depth);
    const branch = Array.from({ length: depth + 1 }, () => this.node.mine((position) => position % 4 !== 0));
    this.world.chain.tip = branch.at(-1);
    await this.world.feedReorg(orphans);
    await this.world.feedBlocks(...branch);
  }

  async #finalize(number: number): Promise<void> {
    if (number <= this.#finalized || number < 1) return;
    this.#finalized = number;
    await this.world.settle();
    await this.world.feedFinalize(this.node.canonical[number - 1]!);
  }

  async #damage({ kind, which }: Extract<Operation, { type: 'damage' }>): Promise<void> {
    await this.world.settle();
    const { gid } = this.world;
    const one = (isSpent: boolean): string =>
      `(chain_gid, txid, vout) = (SELECT chain_gid, txid, vout FROM utxos WHERE spent_by IS ${isSpent ? 'NOT NULL' : 'NULL'} ORDER BY txid, vout
        OFFSET ${which} % greatest((SELECT count(*) FROM utxos WHERE spent_by IS ${isSpent ? 'NOT NULL' : 'NULL'}), 1) LIMIT 1)`;
    if (kind === 'lose') await this.world.db.query(`DELETE FROM utxos WHERE ${one(false)}`);
    if (kind === 'alter')
      await this.world.db.query(`UPDATE utxos SET amount_raw = amount_raw + 1 WHERE ${one(false)}`);
    if (kind === 'unspend')
      await this.world.db.query(
        `UPDATE utxos SET spent_by = NULL, spent_block_number = NULL, spent_block_hash = NULL WHERE ${one(true)}`,
      );
    if (kind === 'invent')
      await this.world.db.query(
        'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, $2, 0, $3, 3, 1)',
        [gid, hashOf(`invented ${(this.#count += 1)}`), WATCHED[which % WATCHED.length]],
      );
  }

  #answer(scan: CoinScan): CoinScan {
    const told = this.#lie;
    this.#lie = undefined;
    if (told === undefined) return scan;
    const { kind, which } = told;
    if (kind === 'invent') {
      const txid = hashOf(`lie ${(this.#count += 1)}`);
      const address = WATCHED[which % WATCHED.length]!;
      const coin: Coin = { txid, vout: 0, address, amountRaw: 4n, isCoinbase: false, blockNumber: 1 };
      return { ...scan, coins: [...scan.coins, coin] };
    }
    const open = scan.coins.filter((coin) => !this.#liedAbout.has(outpointKey(coin)));
    const target = open[which % Math.max(open.length, 1)];
    if (target === undefined) return scan;
    this.#liedAbout.add(outpointKey(target));
    return {
      ...scan,
      coins: scan.coins.flatMap((coin) => {
        if (coin !== target) return [coin];
        return kind === 'leave out' ? [] : [{ ...coin, amountRaw: coin.amountRaw + 5n }];
      }),
    };
  }
}

const histories = fc.array(operation, { minLength: 8, maxLength: 30 });

async function playAll(isDamaged: boolean, expectRight: (history: History) => Promise<void>): Promise<void> {
  const deadline = Date.now() + TIME_MS;
  await fc.assert(
    fc.asyncProperty(histories, async (operations) => {
      if (Date.now() > deadline) return;
      const history = await History.start();
      try {
        for (const one of operations) await history.play(one, isDamaged);
        await history.finish(isDamaged);
        expect(await history.actual()).toEqual(history.expected());
        await expectRight(history);
      } finally {
        await history.world.stop();
      }
    }),
    {
      numRuns: RUNS,
      endOnFailure: process.env.COIN_ROUND_SHRINKS === undefined,
      includeErrorInReport: true,
      ...(process.env.COIN_ROUND_SEED !== undefined && { seed: Number(process.env.COIN_ROUND_SEED) }),
    },
  );
}

describe('the round over coins, whatever happens', () => {
  it('corrects nothing that blocks explain, whatever a node says once', async () => {
    await playAll(false, async ({ world }) => {
      expect(await world.rows('SELECT * FROM balance_differences')).toEqual([]);
      expect(await world.rows('SELECT * FROM utxos WHERE block_hash IS NULL')).toEqual([]);
    });
  }, 3_600_000);

  it('makes the coins those of the chain, and later payments spend them', async () => {
    await playAll(true, async (history) => {
      await history.spendAll();
      expect(await history.actual()).toEqual([]);
      expect(
        await history.world.rows('SELECT * FROM utxos WHERE spent_by IS NULL AND spent_block_number IS NULL'),
      ).toEqual([]);
    });
  }, 3_600_000);
});
