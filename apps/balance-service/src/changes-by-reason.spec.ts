// SPDX-License-Identifier: Apache-2.0
import type { PoolClient } from 'pg';
import { formatAmount } from '@chainwatch/common/amounts';
import { BALANCE_CHANGE_REASONS, UNTOLD_REASONS } from '@chainwatch/chain-core';
import { CHANGE_REASONS } from '@chainwatch/events';
import type { PostgresHandle } from '@chainwatch/testing';
import { NATIVE, startPostgres, TOKEN } from '@chainwatch/data/testing';
import { runBalanceStep } from './chain/balance-step.ts';
import type { Drift, SpecBlock, SpecTransaction } from './spec-world/spec-chain.ts';
import { StepWorld, type SpecAddress } from './spec-world/spec-step-world.ts';
import { storeOn } from './spec-world/spec-store.ts';

const A = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const STRANGER = '0xcccccccccccccccccccccccccccccccccccccccc';

let postgres: PostgresHandle;
let world: StepWorld;
let session: PoolClient;
let alice: SpecAddress;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await StepWorld.start(postgres);
  session = await world.db.pool.connect();
  alice = await world.watch(await world.addProject(), A);
});
afterEach(async () => {
  session.release();
  await world.stop();
});

async function settle(): Promise<void> {
  for (;;) {
    const { type } = await runBalanceStep({
      store: storeOn(session),
      client: world.chain.client(),
      clock: () => new Date(),
      signal: new AbortController().signal,
    });
    if (type !== 'done') return;
  }
}

/** A block, and its readings. */
async function advance(
  transactions: readonly Omit<SpecTransaction, 'hash'>[],
  drifts: readonly Omit<Drift, 'address' | 'assetGid'>[] = [],
): Promise<SpecBlock> {
  const block = await world.advance(
    transactions,
    drifts.map((drift) => ({ address: A, assetGid: NATIVE, ...drift })),
    { changed: [{ id: alice.id, assetGid: NATIVE }] },
  );
  await settle();
  return block;
}

async function undo(block: SpecBlock): Promise<void> {
  await world.orphan(block);
  await world.undo(block);
  await settle();
}

const receive = (amount: bigint) => ({ assetGid: NATIVE, from: STRANGER, to: A, amount });
const told = async () =>
  (await world.events()).map(({ data }) => [
    data.delta,
    Object.fromEntries(data.changes!.map(({ reason, amount_raw: amount }) => [reason, amount])),
  ]);
const wei = (amount: number) => formatAmount(BigInt(amount), 18);

it('are those of the block, each reason once, and add up', async () => {
  await settle();
  await advance([receive(50n), receive(7n)], [{ delta: 30n, reason: 'withdrawal' }]);
  await advance(
    [{ assetGid: NATIVE, from: A, to: STRANGER, amount: 20n, fee: 3n }],
    [{ delta: -5n, reason: 'atomic' }, { delta: 1n }],
  );
  expect(await told()).toEqual([
    [wei(87), { transfer: '57', withdrawal: '30' }],
    [wei(-27), { transfer: '-20', fee: '-3', atomic: '-5', adjustment: '1' }],
  ]);
  const { changes } = (await world.events())[1]!.data;
  expect(changes!.at(-1)).toEqual({
    reason: 'adjustment',
    amount: wei(1),
    amount_raw: '1',
    since_block: 101,
    until_block: 102,
  });
  expect(changes![0]).toEqual({ reason: 'transfer', amount: wei(-20), amount_raw: '-20' });
});

it('of a first balance are what its block did, also where the node has no state before it', async () => {
  for (const isKnown of [true, false]) {
    await world.db.query('DELETE FROM balances; DELETE FROM balance_history');
    await world.db.query('DELETE FROM balance_reads');
    if (!isKnown) world.chain.missing.add(world.tip.hash);
    await advance([receive(5n)], [{ delta: 3n, reason: 'reward' }]);
  }
  expect(await told()).toEqual([
    [null, { transfer: '5', reward: '3' }],
    [null, { transfer: '5', reward: '3' }],
  ]);
});

it('of a balance from before the address was watched are none', async () => {
  world.mine([receive(5n)]);
  await world.analyze(world.tip, { overlooked: [alice.id] });
  await settle();
  expect(await told()).toEqual([[null, {}]]);
});

it('that a reorg undid are taken back under the reason that they were told with', async () => {
  await settle();
  await advance([receive(50n)]);
  const orphan = await advance([receive(7n)], [{ delta: 30n, reason: 'atomic' }, { delta: 2n }]);
  await undo(orphan);
  expect((await told()).slice(1)).toEqual([
    [wei(39), { transfer: '7', atomic: '30', adjustment: '2' }],
    [wei(-39), { transfer: '-7', atomic: '-30', adjustment: '-2' }],
  ]);
});

it('that come back in another block are told as the difference', async () => {
  await settle();
  const orphan = await advance([receive(7n)], [{ delta: 30n, reason: 'atomic' }]);
  await world.orphan(orphan);
  await world.undo(orphan);
  await advance([receive(7n), receive(1n)], [{ delta: 29n, reason: 'atomic' }]);
  // Nothing in sum, and told with what comes next.
  expect(await told()).toEqual([[wei(37), { transfer: '7', atomic: '30' }]]);
  await advance([receive(2n)]);
  expect((await told())[1]).toEqual([wei(2), { transfer: '3', atomic: '-1' }]);
});

it('since an adjustment that was not told are dated back to what was told', async () => {
  await settle();
  await advance([receive(10n)]);
  await advance([receive(3n)], [{ delta: -3n }]);
  await advance([receive(1n)]);
  const { changes } = (await world.events())[1]!.data;
  expect(changes).toMatchObject([
    { reason: 'transfer', amount_raw: '4' },
    { reason: 'adjustment', amount_raw: '-3', since_block: 101, until_block: 103 },
  ]);
});

it('add up after the release before, which did not count', async () => {
  await settle();
  await advance([receive(10n)]);
  const orphan = await advance([receive(4n)]);
  await world.db.query('UPDATE balances SET told_sums = NULL, told_block = NULL');
  await world.db.query('UPDATE balance_history SET sums = NULL');
  await undo(orphan);
  await advance([receive(1n)], [{ delta: 2n, reason: 'mint' }]);
  expect((await told()).slice(2)).toEqual([
    [wei(-4), { adjustment: '-4' }],
    [wei(3), { transfer: '1', mint: '2' }],
  ]);
});

it.each([0, 40])(
  'take back what was told as an adjustment when its transaction is found, %i blocks later',
  async (blocks) => {
    await settle();
    await world.advance([receive(5n)], [], { changed: [{ id: alice.id, assetGid: NATIVE }] });
    // As if nobody had decoded it.
    await world.db.query(`UPDATE transactions SET status = 'reorged'`);
    await settle();
    await advance([receive(3n)]);
    for (let block = 0; block < blocks; block += 1) await world.advance();
    await world.db.query(`UPDATE transactions SET status = 'detected'`);
    for (let reading = 0; reading < 2; reading += 1) {
      await world.ask({ addressId: alice.id, assetGid: NATIVE, reason: 'detected' });
      await settle();
    }
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
    await advance([receive(1n)]);
    await advance([receive(2n)]);
    expect(await told()).toEqual([
      [wei(5), { adjustment: '5' }],
      [wei(3), { transfer: '3' }],
      [wei(1), { transfer: '6', adjustment: '-5' }],
      [wei(2), { transfer: '2' }],
    ]);
  },
);

describe('that lack evidence', () => {
  const verifications = async () => (await world.events()).map(({ data }) => data.verification);
  const changed = () => ({ changed: [{ id: alice.id, assetGid: NATIVE }] });

  it('are not told as a block tells them that is unproved, and are corrected when it is proved', async () => {
    await settle();
    const drift = { address: A, assetGid: NATIVE, delta: 30n, reason: 'withdrawal' } as const;
    const { hash } = await world.advance([], [drift], changed());
    await world.db.query(`UPDATE blocks SET verification = 'unproved' WHERE hash = $1`, [hash]);
    await settle();
    expect(await told()).toEqual([[wei(30), { adjustment: '30' }]]);
    expect(await verifications()).toEqual(['unproved']);
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([30n]);
    await world.db.query(`UPDATE blocks SET verification = 'proved' WHERE hash = $1`, [hash]);
    await world.ask({ addressId: alice.id, assetGid: NATIVE, reason: 'detected' });
    await settle();
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
    await advance([receive(1n)]);
    expect(await told()).toEqual([
      [wei(30), { adjustment: '30' }],
      [wei(1), { transfer: '1', withdrawal: '30', adjustment: '-30' }],
    ]);
    expect(await verifications()).toEqual(['unproved', 'attested']);
  });

  it('are proved by the header of a block whose transactions are settling', async () => {
    await settle();
    const drift = { address: A, assetGid: NATIVE, delta: 30n, reason: 'atomic' } as const;
    const { hash } = await world.advance([], [drift], changed());
    await world.db.query(`UPDATE blocks SET verification = 'settling' WHERE hash = $1`, [hash]);
    await settle();
    expect(await told()).toEqual([[wei(30), { atomic: '30' }]]);
    expect(await verifications()).toEqual(['attested']);
  });

  it('make a reading that an unproved transaction explains unproved, in a short span and a long one', async () => {
    await settle();
    for (const blocks of [0, 20]) {
      await world.advance([receive(5n)]);
      await world.db.query(`UPDATE transactions SET verification = 'unproved'`);
      await world.db.query('DELETE FROM balance_reads');
      for (let block = 0; block < blocks; block += 1) await world.advance();
      await world.ask({ addressId: alice.id, assetGid: NATIVE, block: world.tip, reason: 'touched' });
      await settle();
    }
    expect(await told()).toEqual([
      [wei(5), { transfer: '5' }],
      [wei(5), { transfer: '5' }],
    ]);
    expect(await verifications()).toEqual(['unproved', 'unproved']);
  });
});

it('of tokens have their decimals', async () => {
  await settle();
  await world.advance([{ assetGid: TOKEN, from: STRANGER, to: A, amount: 1_500_000n, received: 1_400_000n }]);
  await settle();
  expect((await world.events())[0]!.data.changes).toMatchObject([
    { reason: 'transfer', amount: '1.5' },
    { reason: 'adjustment', amount: '-0.1' },
  ]);
});

it('know the reasons of every chain', () => {
  expect(CHANGE_REASONS).toEqual(['transfer', 'fee', ...UNTOLD_REASONS]);
  expect(UNTOLD_REASONS).toEqual([...BALANCE_CHANGE_REASONS, 'adjustment']);
});
