// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { readStretches } from './spec-world/read-stretches.ts';
import { NATIVE, TOKEN, World } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: World;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => postgres?.stop());
beforeEach(async () => {
  world = await World.create(await postgres.createDatabase(), 2);
});
afterEach(async () => world.stop());

const adjustments = async (): Promise<string[]> =>
  (
    await world.db.query<{ amount_raw: string }>(
      'SELECT amount_raw FROM adjustments ORDER BY block_number, asset_gid',
    )
  ).rows.map((row) => row.amount_raw);
const told = async (): Promise<
  { previous: string | null; current: string; delta: string | null; asset_gid: string }[]
> =>
  (
    await world.db.query<{ payload: string }>(
      `SELECT payload FROM event_log WHERE type = 'balance.changed' ORDER BY id`,
    )
  ).rows.map((row) => JSON.parse(row.payload).data);
const ETH = 10n ** 18n;

describe('balances', () => {
  test('are read on detection, told, and kept with what was sent before', async () => {
    await world.start();
    await world.importAddress(0);
    await world.settle();
    await world.mine([{ assetGid: NATIVE, to: 0, amount: 3n * ETH }]);
    await world.settle();
    await world.mine([{ assetGid: NATIVE, from: 0, to: 1, amount: ETH, fee: ETH / 2n }]);
    await world.settle();
    expect(await world.current(0, NATIVE)).toBe((3n * ETH) / 2n);
    expect(await world.current(1, NATIVE)).toBe(ETH);
    expect(await adjustments()).toEqual([]);
    expect((await told()).filter(({ current }) => current !== '1')).toMatchObject([
      { previous: '0', current: '3', delta: '3' },
      { previous: '3', current: '1.5', delta: '-1.5' },
    ]);
  });

  test('of a token whose decimals nobody knows are kept and told in base units', async () => {
    await world.db.query('UPDATE assets SET decimals = NULL WHERE gid = $1', [TOKEN]);
    await world.start();
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 3_000_000n }]);
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(3_000_000n);
    await world.db.query('UPDATE assets SET decimals = 6 WHERE gid = $1', [TOKEN]);
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 500_000n }]);
    await world.settle();
    const ofToken = (await told()).filter(({ asset_gid }) => asset_gid === TOKEN);
    expect(ofToken).toMatchObject([
      { previous: null, current: null, delta: null, current_raw: '3000000', delta_raw: null },
      { previous: '3', current: '3.5', delta: '0.5', current_raw: '3500000', delta_raw: '500000' },
    ]);
  });

  test('are published with the ids of their content', async () => {
    await world.start();
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 7n }]);
    await world.settle();
    const { rows } = await world.db.query<{ event_id: string; sequence: number }>(
      'SELECT event_id, sequence FROM event_log ORDER BY id',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, index) => index + 1));
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(rows.length);
  });

  test('become confirmed when their block does', async () => {
    await world.start();
    const block = await world.mine([{ assetGid: TOKEN, to: 0, amount: 7n }]);
    await world.settle();
    await world.finalize(block);
    await world.settle();
    const { rows } = await world.db.query('SELECT is_confirmed FROM balances WHERE asset_gid = $1', [TOKEN]);
    expect(rows).toEqual([{ is_confirmed: true }]);
  });

  test('of a newer block are not lost when an older block becomes final in the same batch', async () => {
    const older = await world.mine([{ assetGid: TOKEN, to: 0, amount: 7n }]);
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 5n }]);
    await world.finalize(older);
    await world.start();
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(12n);
  });

  test('of rebasing and fee-on-transfer tokens are what the chain says, the rest is an adjustment', async () => {
    await world.start();
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 100n }]);
    await world.settle();
    await world.mine([], [{ index: 0, assetGid: TOKEN, delta: 10n }]);
    await world.settle();
    expect(await adjustments()).toEqual(['10']);
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 100n, arriving: 98n }]);
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(208n);
    expect(await adjustments()).toEqual(['10', '-2']);
  });

  test('go back after a reorg, and the rows of orphans go', async () => {
    await world.start();
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 100n }]);
    await world.settle();
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 11n }], [{ index: 0, assetGid: TOKEN, delta: 1n }]);
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(112n);
    await world.reorg(1);
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(100n);
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 20n }]);
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(120n);
    expect(await adjustments()).toEqual([]);
    expect(
      (await told()).filter(({ asset_gid }) => asset_gid === TOKEN).map(({ current }) => current),
    ).toEqual(['100', '112', '100', '120']);
  });

  test('are read at the head when the block is gone', async () => {
    const gone = await world.mine([{ assetGid: TOKEN, to: 0, amount: 100n }]);
    world.missing.add(gone.hash);
    await world.mine([{ assetGid: TOKEN, to: 0, amount: 5n, arriving: 4n }]);
    await world.mine([]);
    await world.start();
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(104n);
  });

  test('wait for a node that is away, and skip a contract that does not answer', async () => {
    const dead = TOKEN.replace('aa', 'bb');
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) SELECT $1, chain_gid, 'erc20', 'bb', 'fungible', 'active', 0 FROM assets WHERE gid = $2`,
      [dead, TOKEN],
    );
    world.failures = 5;
    await world.mine([
      { assetGid: dead, to: 0, amount: 1n },
      { assetGid: TOKEN, to: 0, amount: 2n },
    ]);
    await world.start();
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(2n);
    expect(await world.current(0, dead)).toBeUndefined();
  });

  test('survive restarts in the middle and two replicas without telling anything twice', async () => {
    const first = await world.start();
    await world.start();
    let sum = 0n;
    for (let count = 1n; count <= 30n; count += 1n) {
      await world.mine([{ assetGid: TOKEN, to: 0, amount: count }]);
      sum += count;
      if (count === 10n) await first.stop();
      if (count === 20n)
        await world.db.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'balance-service'`,
        );
    }
    await world.settle();
    expect(await world.current(0, TOKEN)).toBe(sum);
    const currents = (await told())
      .filter(({ asset_gid }) => asset_gid === TOKEN)
      .map(({ previous, current }) => [previous, current]);
    for (const [index, [previous]] of currents.entries())
      expect(previous).toBe(index === 0 ? null : currents[index - 1]![1]);
    expect(await adjustments()).toEqual([]);
  });

  test('of addresses that are not monitored, and of assets that are not active, are not read', async () => {
    await world.db.query('UPDATE addresses SET is_monitored = false WHERE id = $1', [world.addresses[1]!.id]);
    await world.db.query(`UPDATE assets SET status = 'unknown' WHERE gid = $1`, [TOKEN]);
    await world.start();
    await world.mine([{ assetGid: TOKEN, from: 1, to: 0, amount: 1n }]);
    await world.settle();
    expect(await world.current(0, TOKEN)).toBeUndefined();
    expect(await world.current(1, NATIVE)).toBeUndefined();
    expect(await world.current(0, NATIVE)).toBe(0n);
  });
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      token: fc.boolean(),
      from: fc.option(fc.nat(1), { nil: undefined }),
      to: fc.option(fc.nat(1), { nil: undefined }),
      amount: fc.bigInt(1n, 50n),
      tax: fc.bigInt(0n, 1n),
      fee: fc.bigInt(0n, 3n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('rebase' as const),
      token: fc.boolean(),
      index: fc.nat(1),
      delta: fc.bigInt(-5n, 9n),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('finalize' as const), depth: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('import' as const), index: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('settle' as const) }) },
);

test('transfers and adjustments always explain the difference of two readings, and the last reading is the chain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const random = await World.create(await postgres.createDatabase(), 2);
      try {
        await random.start();
        // Who never moved a token is not known to hold it: a rebase finds those alone who did.
        for (const to of [0, 1]) await random.mine([{ assetGid: TOKEN, to, amount: 1_000n }]);
        await random.settle();
        let finalNumber = random.head.number;
        for (const one of steps) {
          const asset = 'token' in one && one.token ? TOKEN : NATIVE;
          if (one.type === 'move' && (one.from !== undefined || one.to !== undefined)) {
            await random.mine([
              {
                assetGid: asset,
                from: one.from,
                to: one.to,
                amount: one.amount,
                arriving: one.amount - (asset === TOKEN ? one.tax : 0n),
                fee: one.fee,
              },
            ]);
          } else if (one.type === 'rebase')
            await random.mine([], [{ index: one.index, assetGid: asset, delta: one.delta }]);
          else if (one.type === 'reorg' && random.head.number - one.depth > finalNumber)
            await random.reorg(one.depth);
          else if (one.type === 'finalize') {
            const block = random.branch.at(-one.depth);
            if (block !== undefined && block.number > finalNumber) {
              finalNumber = block.number;
              await random.finalize(block);
            }
          } else if (one.type === 'import') await random.importAddress(one.index);
          else await random.settle();
        }
        await random.settle();
        for (const { pair, difference, explained, adjusted } of await readStretches(random.db)) {
          expect({ pair, sum: explained + adjusted }).toEqual({ pair, sum: difference });
        }
        for (const index of [0, 1]) {
          for (const asset of [NATIVE, TOKEN])
            expect((await random.current(index, asset)) ?? 0n).toBe(random.balance(index, asset));
        }
      } finally {
        await random.stop();
      }
    }),
    { numRuns: 15 },
  );
});
