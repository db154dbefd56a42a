// SPDX-License-Identifier: Apache-2.0
import type { BalanceChange, Block, UnknownPart } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { accept, incidents, makeBlind, partOf, passLimit, reprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// What blocks change without a transaction: stored for the balance service, which tells why a balance changed.

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const KIND = 'atomic-transaction:7';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { unknownWaitMs: 43_200_000, pollMs: 100 });
  project = await world.addProject();
});
afterEach(() => world.stop());

const change = (reason: BalanceChange['reason'], amountRaw?: bigint, address = ALICE): BalanceChange => ({
  address,
  assetGid: NATIVE,
  reason,
  amountRaw,
});
const stored = () =>
  world.rows<object>(
    'SELECT address_id, block_number, reason, amount_raw::text FROM block_changes ORDER BY block_number, reason, address_id',
  );
const reads = () =>
  world.rows<object>(
    `SELECT address_id, block_number, reason FROM balance_reads WHERE reason <> 'imported' ORDER BY id`,
  );

it('are stored with what the block says, one of each reason, for watched addresses', async () => {
  const alice = await world.watch(project, ALICE);
  const same = await world.watch(await world.addProject(), ALICE);
  world.startAnalyzer();
  const one = world.chain.make(undefined, {
    balanceChanges: [
      change('withdrawal', 3n),
      change('withdrawal', 4n),
      change('atomic', -5n),
      change('reward'),
      change('other', 6n),
      change('mint', 7n, BOB),
    ],
  });
  const two = world.chain.make(one, { balanceChanges: [change('reward', 2n ** 256n - 1n)] });
  await world.feedBlocks(one, two);
  await world.settle();
  const rows = await stored();
  for (const { id } of [alice, same])
    expect(rows.filter((row) => 'address_id' in row && row.address_id === id)).toEqual([
      { address_id: id, block_number: 1, reason: 'atomic', amount_raw: '-5' },
      { address_id: id, block_number: 1, reason: 'withdrawal', amount_raw: '7' },
      { address_id: id, block_number: 2, reason: 'reward', amount_raw: String(2n ** 256n - 1n) },
    ]);
  expect(rows).toHaveLength(6);
  expect(await world.events()).toEqual([]);
});

it('go with their block, and come back with it', async () => {
  const alice = await world.watch(project, ALICE);
  world.startAnalyzer();
  const root = world.chain.make(undefined);
  const one = world.chain.make(root, { balanceChanges: [change('reward', 3n)] });
  await world.feedBlocks(root, one);
  await world.settle();
  expect(await stored()).toHaveLength(1);
  await world.feedReorg([one]);
  await world.settle();
  expect(await stored()).toEqual([]);
  await world.feedBlocks(one);
  await world.settle();
  expect(await stored()).toEqual([
    { address_id: alice.id, block_number: 2, reason: 'reward', amount_raw: '3' },
  ]);
});

it('are found in blocks that passed while the address was being registered', async () => {
  world.startAnalyzer();
  const root = world.chain.make(undefined);
  await world.feedBlocks(root);
  await world.settle();
  const passed = world.chain.make(root, { balanceChanges: [change('atomic', 9n)] });
  await world.feedBlocks(passed);
  await world.settle();
  const alice = await world.watch(project, ALICE);
  await waitFor(async () => (await stored()).length > 0, { message: 'the late change' });
  expect(await stored()).toEqual([
    { address_id: alice.id, block_number: 2, reason: 'atomic', amount_raw: '9' },
  ]);
  expect(await reads()).toEqual([{ address_id: alice.id, block_number: null, reason: 'detected' }]);
});

describe('of a block whose header is not proved', () => {
  const HEADER = 'header-field:beyond';
  const verification = async () =>
    (await world.rows<{ verification: string }>('SELECT verification FROM blocks ORDER BY number')).map(
      (row) => row.verification,
    );
  let alice: string;
  let block: Block;
  beforeEach(async () => {
    ({ id: alice } = await world.watch(project, ALICE));
    block = world.chain.make(undefined, {
      balanceChanges: [change('withdrawal', 9n), change('atomic', 4n)],
    });
    const parts = new Map<string, readonly UnknownPart[]>([[block.hash, [partOf(HEADER)]]]);
    const lie = (whole: Block): Block => ({
      ...whole,
      verification: 'unproved',
      balanceChanges: [change('withdrawal', 9n), change('mint', 1_000n)],
    });
    world.chain.endpoints = [makeBlind('liar', parts, lie)];
    world.startAnalyzer();
    await world.feedBlocks(block);
    await waitFor(async () => (await incidents(world)).length === 1);
    await passLimit(world);
    await world.settle();
    expect(await verification()).toEqual(['unproved']);
    await world.db.query(`DELETE FROM balance_reads`);
  });
  const read = () => [{ address_id: alice, block_number: null, reason: 'detected' }];

  it('are those of the proved block when it is read again, and the balance is read', async () => {
    await world.stopAnalyzer();
    world.chain.endpoints = [{ label: 'new', tell: (whole) => whole }];
    world.startAnalyzer();
    await reprocess(world, 1, 1);
    expect(await verification()).toEqual(['proved']);
    expect(await stored()).toEqual(
      [
        ['atomic', '4'],
        ['withdrawal', '9'],
      ].map(([reason, amount]) => ({ address_id: alice, block_number: 1, reason, amount_raw: amount })),
    );
    expect(await reads()).toEqual(read());
  });

  it('are trusted when the operator accepts its incident, and the balance is read', async () => {
    await accept(world);
    await waitFor(async () => (await verification())[0] === 'trusted', {
      message: 'the block to be trusted',
    });
    expect(await reads()).toEqual(read());
  });
});

it('are found when a release that knows their kind processes the block again, and the balance is read', async () => {
  const alice = await world.watch(project, ALICE);
  const block = world.chain.make(undefined, { balanceChanges: [change('atomic', 9n)] });
  const parts = new Map<string, readonly UnknownPart[]>([[block.hash, [partOf(KIND)]]]);
  const blur = (whole: Block): Block => ({ ...whole, balanceChanges: [] });
  world.chain.endpoints = [makeBlind('old', parts, blur)];
  world.startAnalyzer();
  await world.feedBlocks(block);
  await waitFor(async () => (await incidents(world)).length === 1);
  await passLimit(world);
  await world.settle();
  expect([await stored(), await reads()]).toEqual([[], []]);
  await world.stopAnalyzer();
  world.chain.endpoints = [{ label: 'new', tell: (whole) => whole }];
  world.startAnalyzer();
  await reprocess(world, 1, 1);
  const wanted = [{ address_id: alice.id, block_number: 1, reason: 'atomic', amount_raw: '9' }];
  expect(await stored()).toEqual(wanted);
  // At the head: adjustments that it explains are computed again (read-retroactive-corrections.ts).
  const wantedRead = { address_id: alice.id, block_number: null, reason: 'detected' };
  expect(await reads()).toEqual([wantedRead]);
  expect(await incidents(world)).toMatchObject([{ kind: KIND, status: 'resolved' }]);
  await reprocess(world, 1, 1);
  expect(await stored()).toEqual(wanted);
  // The block is also read again without a request, which may ask for the same reading.
  for (const read of await reads()) expect(read).toEqual(wantedRead);
});
