// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { EVENT_SCHEMAS, type EventEnvelope } from '@chainwatch/events';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { runBalanceStep } from '../chain/balance-step.ts';
import { storeOn } from '../spec-world/spec-store.ts';
import { BTC, bitcoin, UtxoWorld, type UtxoBlock } from '../spec-world/spec-utxo-world.ts';
import { BalanceRound } from './balance-round.ts';

const A = 'bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9';
const B = 'bcrt1q65nhlm4hf2ptg3t264al57p7wjxj2c3s6kyt83';
const RUNS = Number(process.env.BALANCE_RUNS ?? 12);

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** What the analyzer leaves when two scans have shown the same (its round/commit-correction.ts). */
class CorrectedWorld {
  readonly world: UtxoWorld;
  readonly session: PoolClient;
  readonly round: BalanceRound;
  #nowMs = 0;
  #count = 0;

  private constructor(world: UtxoWorld, session: PoolClient) {
    this.world = world;
    this.session = session;
    this.round = new BalanceRound({
      ...{ store: storeOn(session), client: world.reader, clock: () => new Date() },
      ...{ signal: new AbortController().signal, callsPerSecond: 20, intervalMs: 60_000 },
      ...{ publish: () => undefined, elapsedMs: () => this.#nowMs },
      onFailure: (error) => {
        throw error;
      },
    });
  }

  static async start(): Promise<CorrectedWorld> {
    const world = await UtxoWorld.start(postgres);
    return new CorrectedWorld(world, await world.db.pool.connect());
  }

  async stop(): Promise<void> {
    this.session.release();
    await this.world.stop();
  }

  /** As the worker does: the round when nothing is asked for. */
  async work(): Promise<void> {
    const deps = { store: storeOn(this.session), client: this.world.reader, clock: () => new Date() };
    while ((await runBalanceStep({ ...deps, signal: new AbortController().signal })).type === 'done');
    for (let piece = 0; piece < 3; piece += 1) this.#nowMs += await this.round.step();
  }

  async addMissing(address: string, amountRaw: bigint): Promise<void> {
    await this.world.db.query(
      'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, $2, 0, $3, $4, 100)',
      [bitcoin.gid, `missing ${(this.#count += 1)}`, address, amountRaw],
    );
    await this.handOver(address, amountRaw);
  }

  async markGone(address: string): Promise<void> {
    const { rows } = await this.world.db.query<{ amount_raw: string }>(
      `UPDATE utxos SET spent_block_number = $2, spent_block_hash = $3 WHERE txid = (SELECT txid FROM utxos WHERE address = $1 AND spent_block_number IS NULL LIMIT 1) RETURNING amount_raw`,
      [address, this.world.tip.number, this.world.tip.hash],
    );
    if (rows[0] !== undefined) await this.handOver(address, -BigInt(rows[0].amount_raw));
  }

  async handOver(
    address: string,
    amountRaw: bigint,
    since?: number,
    coins?: readonly string[],
  ): Promise<void> {
    await this.world.db.query(
      `INSERT INTO balance_differences (address_id, asset_gid, chain_gid, amount_raw, block_number, block_hash, since_number, coins)
       SELECT id, $2, $3, $4, $5, $6, $7, $8 FROM addresses WHERE address = $1 ON CONFLICT (address_id, asset_gid) DO UPDATE SET coins = excluded.coins`,
      [
        ...[address, BTC, bitcoin.gid, amountRaw, this.world.tip.number, this.world.tip.hash, since ?? null],
        coins === undefined ? null : JSON.stringify(coins),
      ],
    );
  }

  async events(): Promise<EventEnvelope<'balance.changed'>['data'][]> {
    const { rows } = await this.world.db.query<{ payload: string }>(
      'SELECT payload FROM event_log ORDER BY id',
    );
    return rows.map(({ payload }) => EVENT_SCHEMAS['balance.changed'].parse(JSON.parse(payload)).data);
  }

  async rows<T extends object>(text: string): Promise<T[]> {
    return (await this.world.db.query<T>(text)).rows;
  }
}

describe('coins that the analyzer has corrected', () => {
  let corrected: CorrectedWorld;
  beforeEach(async () => {
    corrected = await CorrectedWorld.start();
  });
  afterEach(() => corrected.stop());

  it('are told once, as an adjustment since the round that showed no difference', async () => {
    const { world } = corrected;
    await world.watch(await world.addProject(), A);
    await corrected.work();
    await world.advance({ outputs: [{ address: A, amountRaw: 50n }] });
    for (let block = 0; block < 3; block += 1) await world.advance();
    await corrected.work();
    await world.db.query(
      `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, 'missing', 0, $2, 7, 60)`,
      [bitcoin.gid, A],
    );
    await corrected.handOver(A, 7n, world.tip.number - 2);
    await corrected.work();
    await corrected.work();
    const [, event, ...others] = await corrected.events();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ previous: '0.0000005', current: '0.00000057', verification: 'attested' });
    const until = { since_block: world.tip.number - 2, until_block: world.tip.number };
    expect(event!.changes).toEqual([
      { reason: 'adjustment', amount: '0.00000007', amount_raw: '7', ...until },
    ]);
    expect(await corrected.rows('SELECT amount_raw, from_block, block_number FROM adjustments')).toEqual([
      { amount_raw: '7', from_block: world.tip.number - 2, block_number: world.tip.number },
    ]);
    expect(await corrected.rows('SELECT * FROM balance_differences')).toEqual([]);
  });

  it('are not told before they are corrected, nor where nothing changed', async () => {
    const { world } = corrected;
    await world.watch(await world.addProject(), A);
    await corrected.work();
    await corrected.handOver(A, 7n, undefined, ['txid:0::7']);
    await world.advance();
    await corrected.work();
    expect(await corrected.rows('SELECT * FROM balance_differences')).toHaveLength(1);
    await corrected.handOver(A, 7n);
    await corrected.work();
    expect(await corrected.rows('SELECT * FROM balance_differences')).toEqual([]);
    expect([await corrected.events(), await corrected.rows('SELECT * FROM adjustments')]).toEqual([[], []]);
  });

  it('have the age of the round that the analyzer makes', async () => {
    await corrected.work();
    expect(corrected.round.ageSeconds).toBeUndefined();
    await corrected.world.db.query(
      `INSERT INTO balance_rounds (chain_gid, started_at, ended_at) VALUES ($1, now() - interval '90 s', now())`,
      [bitcoin.gid],
    );
    for (let look = 0; look < 3; look += 1) await corrected.work();
    expect(corrected.round.ageSeconds).toBeGreaterThanOrEqual(90);
  });
});

const DEPTH_MAX = 4;

/** A coin was missing and is gone: together nothing, so that no reading was left when a reorg brought it back. */
const BROUGHT_BACK: readonly Operation[] = [
  { type: 'pay', to: A, amountRaw: 1n },
  { type: 'missing', to: B, amountRaw: 1n },
  { type: 'gone', to: B },
  { type: 'work' },
  { type: 'work' },
  { type: 'pay', to: A, amountRaw: 1n },
  { type: 'reorg', depth: 2 },
];

const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('pay' as const),
      to: fc.constantFrom(A, B),
      amountRaw: fc.bigInt(1n, 40n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('missing' as const),
      to: fc.constantFrom(A, B),
      amountRaw: fc.bigInt(1n, 40n),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('gone' as const), to: fc.constantFrom(A, B) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: DEPTH_MAX }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('work' as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

async function play(corrected: CorrectedWorld, one: Operation): Promise<void> {
  const { world } = corrected;
  if (one.type === 'pay') await world.advance({ outputs: [{ address: one.to, amountRaw: one.amountRaw }] });
  if (one.type === 'missing') await corrected.addMissing(one.to, one.amountRaw);
  if (one.type === 'gone') await corrected.markGone(one.to);
  if (one.type === 'work') await corrected.work();
  if (one.type !== 'reorg') return;
  const orphans: UtxoBlock[] = [];
  for (
    let block: UtxoBlock | undefined = world.tip;
    block?.parent && orphans.length < one.depth;
    block = block.parent
  )
    orphans.push(block);
  if (orphans.length === 0) return;
  await world.undo(...orphans);
  await world.advance();
}

test('in any history, balances are the sums of coins, and what is told adds up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 5, maxLength: 25 }),
      async (operations: readonly Operation[]) => {
        const corrected = await CorrectedWorld.start();
        const { world } = corrected;
        try {
          for (const address of [A, B]) await world.watch(await world.addProject(), address);
          await corrected.work();
          for (const one of operations) await play(corrected, one);
          // Above every block that a correction was handed over with.
          for (let block = 0; block <= DEPTH_MAX; block += 1) await world.advance();
          await corrected.work();
          const sums = await corrected.rows<{
            balance: string;
            held: string;
            moved: string;
            adjusted: string;
          }>(
            `SELECT b.amount_raw::text AS balance,
             (SELECT coalesce(sum(u.amount_raw), 0)::text FROM utxos u WHERE u.address = a.address AND u.spent_block_number IS NULL) AS held,
             (SELECT coalesce(sum(f.amount_raw), 0)::text FROM transfers f JOIN transactions t ON t.id = f.transaction_id AND t.status <> 'reorged' WHERE f.to_address = a.address AND f.project_id = a.project_id) AS moved,
             (SELECT coalesce(sum(j.amount_raw), 0)::text FROM adjustments j WHERE j.address_id = a.id) AS adjusted
           FROM addresses a JOIN balances b ON b.address_id = a.id`,
          );
          for (const { balance, held, moved, adjusted } of sums) {
            expect(balance).toBe(held);
            expect(BigInt(moved) + BigInt(adjusted)).toBe(BigInt(balance));
          }
          expect(await corrected.rows('SELECT * FROM balance_differences')).toEqual([]);
          const last = new Map<string, string>();
          for (const {
            address_id: id,
            previous,
            current,
            delta_raw: delta,
            changes,
          } of await corrected.events()) {
            if (last.has(id)) expect(previous).toBe(last.get(id));
            last.set(id, current!);
            if (delta !== null)
              expect(changes!.reduce((sum, { amount_raw: amount }) => sum + BigInt(amount), 0n)).toBe(
                BigInt(delta!),
              );
          }
        } finally {
          await corrected.stop();
        }
      },
    ),
    { numRuns: RUNS, includeErrorInReport: true, examples: [[BROUGHT_BACK]] },
  );
}, 600_000);
