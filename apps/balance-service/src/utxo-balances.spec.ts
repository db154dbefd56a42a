// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { formatAmount } from '@chainwatch/common/amounts';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { runBalanceStep, type StepResult } from './chain/balance-step.ts';
import { storeOn } from './spec-world/spec-store.ts';
import { BTC, bitcoin, UtxoWorld, type UtxoBlock } from './spec-world/spec-utxo-world.ts';

const A = 'bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9';
const B = 'bcrt1q65nhlm4hf2ptg3t264al57p7wjxj2c3s6kyt83';
const STRANGER = 'mfhE6jAUwjUDNZhaX1PAsDTKfneQF2Nshc';
const RUNS = Number(process.env.BALANCE_RUNS ?? 12);

let postgres: PostgresHandle;
let world: UtxoWorld;
let session: PoolClient;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await UtxoWorld.start(postgres);
  session = await world.db.pool.connect();
});
afterEach(async () => {
  session.release();
  await world.stop();
});

const step = (): Promise<StepResult> =>
  runBalanceStep({
    store: storeOn(session),
    client: world.reader,
    clock: () => new Date(),
    signal: new AbortController().signal,
  });

async function settle(): Promise<void> {
  for (let count = 0; count < 100; count += 1) if ((await step()).type !== 'done') return;
  throw new Error('the work does not end');
}

const outpointOf = (block: UtxoBlock, transaction: number, vout: number): string =>
  `${block.transactions[transaction]!.txid}:${vout}`;

async function balanceOf(id: string): Promise<{ amount: bigint; isConfirmed: boolean } | undefined> {
  const { rows } = await world.db.query<{ amount_raw: string; is_confirmed: boolean }>(
    'SELECT amount_raw, is_confirmed FROM balances WHERE address_id = $1 AND asset_gid = $2',
    [id, BTC],
  );
  return rows[0] && { amount: BigInt(rows[0].amount_raw), isConfirmed: rows[0].is_confirmed };
}

async function countRows(table: 'adjustments' | 'balance_reads'): Promise<number> {
  const { rows } = await world.db.query<{ count: number }>(`SELECT count(*) FROM ${table}`);
  return rows[0]!.count;
}

async function deltas(): Promise<[string | null, string | null][]> {
  const { rows } = await world.db.query<{ payload: string }>('SELECT payload FROM event_log ORDER BY id');
  return rows
    .map(({ payload }) => EVENT_SCHEMAS['balance.changed'].parse(JSON.parse(payload)).data)
    .map(({ previous, current, delta, changes }) => {
      // Inputs and outputs explain everything, fees included.
      const sum = changes!.reduce((total, { amount_raw: amount }) => total + BigInt(amount), 0n);
      if (delta !== null) expect(formatAmount(sum, 8)).toBe(delta);
      expect(changes!.filter(({ reason }) => reason !== 'transfer')).toEqual([]);
      return [previous, current];
    });
}

async function verifications(): Promise<unknown[]> {
  const { rows } = await world.db.query<{ payload: string }>('SELECT payload FROM event_log ORDER BY id');
  return rows.map(
    ({ payload }) => EVENT_SCHEMAS['balance.changed'].parse(JSON.parse(payload)).data.verification,
  );
}

describe('the coins of an address at a block', () => {
  const read = (block: UtxoBlock, ...addresses: string[]) =>
    world.reader.readBalances(
      block,
      addresses.map((address) => ({ address, assetGid: BTC })),
    );

  it('are those created at or below it and not spent at or below it', async () => {
    await world.watch(await world.addProject(), A);
    const first = await world.advance({
      outputs: [
        { address: A, amountRaw: 50n },
        { address: A, amountRaw: 7n },
      ],
    });
    const second = await world.advance({
      inputs: [outpointOf(first, 0, 0)],
      outputs: [
        { address: B, amountRaw: 30n },
        { address: A, amountRaw: 19n },
      ],
    });
    const third = await world.advance({
      inputs: [outpointOf(first, 0, 1), outpointOf(second, 0, 1)],
      outputs: [{ address: B, amountRaw: 26n }],
    });
    expect(await Promise.all([first.parent!, first, second, third].map((block) => read(block, A)))).toEqual([
      [0n],
      [57n],
      [26n],
      [0n],
    ]);
    expect(await read(second, STRANGER, A, A)).toEqual([0n, 26n, 26n]);
  });

  it('are told for the native coin alone', async () => {
    expect(
      await world.reader.readBalances(world.tip, [{ address: A, assetGid: `${bitcoin.gid}/erc20:x` }]),
    ).toEqual([undefined]);
    expect(await world.reader.readBalances(world.tip, [])).toEqual([]);
  });

  it('are exact beyond 2^53', async () => {
    await world.watch(await world.addProject(), A);
    const block = await world.advance({
      outputs: [
        { address: A, amountRaw: 2_100_000_000_000_001n },
        { address: A, amountRaw: 9_007_199_254_740_993n },
      ],
    });
    expect(await read(block, A)).toEqual([11_107_199_254_740_994n]);
  });

  it('are not told for a block that is not analysed, or is an orphan', async () => {
    const orphan = await world.advance();
    await world.undo(orphan);
    const retryable = expect.objectContaining({ code: 'block_not_found', retryable: true }) as Error;
    await expect(read(orphan, A)).rejects.toThrow(retryable);
    await expect(read(world.mine([]), A)).rejects.toThrow(retryable);
    await expect(read({ ...world.tip.parent!, number: 7 }, A)).rejects.toThrow(retryable);
  });

  it('are not told after the signal', async () => {
    await expect(world.reader.readBalances(world.tip, [], AbortSignal.abort())).rejects.toThrow('abort');
  });
});

describe('balances', () => {
  it('follow payments, change and fees, and leave no adjustment', async () => {
    const id = await world.watch(await world.addProject(), A);
    await settle();
    const first = await world.advance(
      { outputs: [{ address: STRANGER, amountRaw: 50n }] },
      { outputs: [{ address: A, amountRaw: 50n }] },
    );
    await settle();
    const spending = {
      inputs: [outpointOf(first, 1, 0)],
      outputs: [
        { address: STRANGER, amountRaw: 20n },
        { address: A, amountRaw: 29n },
      ],
    };
    await world.advance(spending, {
      inputs: [outpointOf(first, 0, 0)],
      outputs: [{ address: A, amountRaw: 49n }],
    });
    await settle();
    expect(await balanceOf(id)).toEqual({ amount: 78n, isConfirmed: false });
    expect(await deltas()).toEqual([
      ['0', '0.0000005'],
      ['0.0000005', '0.00000078'],
    ]);
    // Summed from coins whose transactions are proved.
    expect(await verifications()).toEqual(['proved', 'proved']);
    expect([await countRows('adjustments'), await countRows('balance_reads')]).toEqual([0, 0]);
  });

  it('of an unproved payment change with its release, as a transfer', async () => {
    const id = await world.watch(await world.addProject(), A);
    await settle();
    await world.advance({ outputs: [{ address: A, amountRaw: 50n }] });
    await world.db.query(`UPDATE transactions SET verification = 'unproved'`);
    await world.db.query(`CREATE TABLE unproved AS SELECT * FROM utxos`);
    await world.db.query('DELETE FROM utxos');
    await settle();
    expect([await deltas(), await countRows('adjustments')]).toEqual([[], 0]);
    await world.advance();
    await world.db.query(`UPDATE transactions SET verification = 'agreed'`);
    await world.db.query('INSERT INTO utxos SELECT * FROM unproved');
    await world.db.query(
      `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason) VALUES ($1, $2, $3, 'detected')`,
      [bitcoin.gid, id, BTC],
    );
    await settle();
    expect(await deltas()).toEqual([['0', '0.0000005']]);
    expect([await verifications(), await countRows('adjustments')]).toEqual([['proved'], 0]);
  });

  it('of a block that spends its own outputs are what stands at its end', async () => {
    const id = await world.watch(await world.addProject(), A);
    const parent = world.tip;
    const first = world.mine([{ outputs: [{ address: A, amountRaw: 50n }] }]);
    const block = world.mine(
      [
        { outputs: [{ address: A, amountRaw: 50n }] },
        { inputs: [outpointOf(first, 0, 0)], outputs: [{ address: A, amountRaw: 49n }] },
      ],
      first,
    );
    expect(first.parent).toBe(parent);
    await world.analyze(first);
    await world.analyze(block);
    await settle();
    expect(await balanceOf(id)).toEqual({ amount: 99n, isConfirmed: false });
    expect(await countRows('adjustments')).toBe(0);
  });

  it('are confirmed at the finalized block', async () => {
    const id = await world.watch(await world.addProject(), A);
    const block = await world.advance({ outputs: [{ address: A, amountRaw: 50n }] });
    await settle();
    expect(await balanceOf(id)).toEqual({ amount: 50n, isConfirmed: false });
    await world.advance();
    await world.confirm(block);
    await settle();
    expect(await balanceOf(id)).toEqual({ amount: 50n, isConfirmed: true });
    expect(await deltas()).toHaveLength(1);
  });

  it('come back with a reorg: created coins go, spent ones stand again, and the payment counts in its new block', async () => {
    const id = await world.watch(await world.addProject(), A);
    const first = await world.advance({ outputs: [{ address: A, amountRaw: 50n }] });
    await settle();
    const spending = {
      inputs: [outpointOf(first, 0, 0)],
      outputs: [
        { address: STRANGER, amountRaw: 20n },
        { address: A, amountRaw: 29n },
      ],
    };
    const second = await world.advance(spending);
    await settle();
    expect((await balanceOf(id))?.amount).toBe(29n);
    await world.undo(second);
    await settle();
    expect((await balanceOf(id))?.amount).toBe(50n);
    await world.advance({ outputs: [{ address: STRANGER, amountRaw: 50n }] });
    await world.advance(spending);
    await settle();
    expect((await balanceOf(id))?.amount).toBe(29n);
    expect([await countRows('adjustments'), await countRows('balance_reads')]).toEqual([0, 0]);
  });

  it('wait for the coins of before, which the first reading takes for its base', async () => {
    const id = await world.watch(await world.addProject(), A, 'pending');
    await world.advance({ outputs: [{ address: A, amountRaw: 7n }] });
    await settle();
    expect(await balanceOf(id)).toBeUndefined();
    expect(await countRows('balance_reads')).toBe(2);
    const coin = await world.addScannedCoin({ address: A, amountRaw: 100n }, 40);
    await world.db.query(`UPDATE address_backfills SET status = 'complete'`);
    await settle();
    expect((await balanceOf(id))?.amount).toBe(107n);
    await world.advance({
      inputs: [coin],
      outputs: [
        { address: STRANGER, amountRaw: 60n },
        { address: A, amountRaw: 39n },
      ],
    });
    await settle();
    expect((await balanceOf(id))?.amount).toBe(46n);
    expect([await countRows('adjustments'), await countRows('balance_reads')]).toEqual([0, 0]);
  });

  it('of an address that nobody monitors any more wait for no backfill, and are not read', async () => {
    const id = await world.watch(await world.addProject(), A, 'pending');
    await world.db.query('UPDATE addresses SET is_monitored = false');
    await world.db.query(
      `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason) VALUES ($1, $2, $3, 'reorged')`,
      [bitcoin.gid, id, BTC],
    );
    await settle();
    expect([await countRows('balance_reads'), await balanceOf(id)]).toEqual([0, undefined]);
  });

  it('of one project do not wait for the backfill of another', async () => {
    const id = await world.watch(await world.addProject(), A);
    await world.watch(await world.addProject(), A, 'pending');
    await world.advance({ outputs: [{ address: A, amountRaw: 7n }] });
    await settle();
    expect((await balanceOf(id))?.amount).toBe(7n);
  });
});

const payment = fc.record({
  coins: fc.array(fc.nat(), { maxLength: 3 }),
  shares: fc.array(fc.tuple(fc.constantFrom(A, B, STRANGER), fc.bigInt(0n, 40n)), {
    minLength: 1,
    maxLength: 4,
  }),
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
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 5 }),
      isEmptied: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('read' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('confirm' as const), depth: fc.integer({ min: 0, max: 3 }) }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

describe('any history of payments and reorgs', () => {
  it(
    'ends with the balances of the chain, and without adjustments',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
          const history = await UtxoWorld.start(postgres);
          const own = await history.db.pool.connect();
          const read = (): Promise<StepResult> =>
            runBalanceStep({
              store: storeOn(own),
              client: history.reader,
              clock: () => new Date(),
              signal: new AbortController().signal,
            });
          try {
            const project = await history.addProject();
            for (const [projectId, address] of [
              [project, A],
              [project, B],
              [await history.addProject(), A],
            ] as const)
              await history.watch(projectId, address);
            for (const one of operations) await play(history, one, read);
            while ((await read()).type === 'done');
            for (const { id, address } of history.watched) {
              const { rows } = await history.db.query<{ amount_raw: string }>(
                'SELECT amount_raw FROM balances WHERE address_id = $1',
                [id],
              );
              expect(rows.map((row) => BigInt(row.amount_raw))).toEqual([
                history.balanceAt(history.tip, address),
              ]);
            }
            expect((await history.db.query('SELECT * FROM adjustments')).rows).toEqual([]);
            expect((await history.db.query('SELECT * FROM balance_reads')).rows).toEqual([]);
          } finally {
            own.release();
            await history.stop();
          }
        }),
        { numRuns: RUNS },
      );
    },
    30_000 + RUNS * 5_000,
  );
});

async function play(history: UtxoWorld, one: Operation, read: () => Promise<unknown>): Promise<void> {
  if (one.type === 'block')
    await history.advance({ outputs: [{ address: A, amountRaw: 50n }] }, ...spend(history, one.payments));
  if (one.type === 'read') await read();
  const at = (depth: number): UtxoBlock =>
    depth === 0 || history.tip.parent === undefined
      ? history.tip
      : (branchOf(history.tip)[depth] ?? history.tip);
  if (one.type === 'confirm') await history.confirm(at(one.depth));
  if (one.type === 'reorg') {
    const orphans = branchOf(history.tip)
      .slice(0, one.depth)
      .filter((block) => block.parent !== undefined);
    if (orphans.length === 0) return;
    await history.undo(...orphans);
    // What they held comes back in one block, or not at all.
    const returning = orphans
      .reverse()
      .flatMap(({ transactions }) => transactions.filter(({ isCoinbase }) => !isCoinbase));
    const coins = new Set(history.tip.coins.keys());
    const kept = returning.filter(({ txid, inputs, outputs }) => {
      if (!inputs.every((input) => coins.has(input))) return false;
      inputs.forEach((input) => coins.delete(input));
      outputs.forEach((_, vout) => coins.add(`${txid}:${vout}`));
      return true;
    });
    await history.advance(...(one.isEmptied ? [] : kept));
  }
}

function branchOf(tip: UtxoBlock): UtxoBlock[] {
  const blocks: UtxoBlock[] = [];
  for (let block: UtxoBlock | undefined = tip; block; block = block.parent) blocks.push(block);
  return blocks;
}

/** Payments of coins that stand, each spent once. */
function spend(
  history: UtxoWorld,
  payments: readonly (typeof payment extends fc.Arbitrary<infer T> ? T : never)[],
): { inputs: string[]; outputs: { address: string; amountRaw: bigint }[] }[] {
  const free = [...history.tip.coins.keys()];
  return payments.flatMap(({ coins, shares }) => {
    const inputs = coins.flatMap((coin) => (free.length === 0 ? [] : free.splice(coin % free.length, 1)));
    return inputs.length === 0
      ? []
      : [{ inputs, outputs: shares.map(([address, amountRaw]) => ({ address, amountRaw })) }];
  });
}
