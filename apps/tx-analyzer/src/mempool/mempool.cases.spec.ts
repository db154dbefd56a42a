// SPDX-License-Identifier: Apache-2.0
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network } from '@chainwatch/data/testing';
import { makeTransaction, SpecMempool } from '../spec-world/spec-chain.ts';
import { SpecWorld } from '../spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
let mempool: SpecMempool;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { mempoolPollMs: 10, mempoolGraceMs: 150 });
  mempool = world.chain.mempool = new SpecMempool();
  project = await world.addProject();
});
afterEach(() => world.stop());

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';

const fee = (payer: string) => ({ assetGid: NATIVE, amountRaw: 21_000n, payer });
const pay = (name: string, from: string, to: string, amountRaw = 5n) =>
  makeTransaction(name, {
    from,
    to,
    fee: fee(from),
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from, to, amountRaw }],
  });
const payloads = async () =>
  (await world.events()).map((event) =>
    EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)),
  );
const told = async () => (await payloads()).map(({ type, data }) => `${type} ${data.transaction.status}`);
const records = () =>
  world.rows<{ status: string; epoch: number; block_number: number | null }>(
    'SELECT status, epoch, block_number FROM transactions ORDER BY detected_at, hash',
  );
const until = (check: () => Promise<boolean>) => waitFor(check, { intervalMs: 5 });
const untilTold = (count: number) => until(async () => (await world.events()).length >= count);
/** Snapshots that began from now on were looked at. */
const looks = async (count = 3): Promise<void> => {
  const from = mempool.snapshots;
  await until(async () => mempool.snapshots >= from + count);
};

async function begin() {
  const one = world.chain.make(undefined);
  await world.feedBlocks(one);
  mempool.set(one);
  world.startAnalyzer();
  await world.settle();
  return one;
}

describe('a transaction of the mempool', () => {
  it('is pending, then detected by its block with no second event', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    const payment = pay('1', BOB, ALICE);
    mempool.set(one, payment);
    await untilTold(1);
    const [event] = await payloads();
    expect(event).toMatchObject({
      event_id: eventIdOf({
        projectId: project,
        type: 'transaction.detected',
        chainGid: network.gid,
        hash: payment.hash,
        epoch: 0,
      }),
      type: 'transaction.detected',
      data: {
        transaction: {
          status: 'pending',
          direction: 'in',
          block_number: null,
          block_hash: null,
          block_timestamp: null,
          tx_index: null,
          confirmations: 0,
          replaced_by: null,
        },
        balance_changes: [{ address: ALICE, delta_raw: '5' }],
      },
    });
    expect(await world.rows(`SELECT 1 FROM balance_reads WHERE reason <> 'imported'`)).toEqual([]);
    const [before] = await world.rows<{ detected_at: Date }>('SELECT detected_at FROM transactions');
    const two = world.chain.make(one, { transactions: [payment] });
    mempool.set(two);
    await world.feedBlocks(two);
    await world.feedFinalize(two);
    await world.settle();
    await looks();
    expect(await told()).toEqual(['transaction.detected pending', 'transaction.confirmed confirmed']);
    expect(await world.rows('SELECT status, epoch, block_number, detected_at FROM transactions')).toEqual([
      { status: 'confirmed', epoch: 0, block_number: 2, detected_at: before!.detected_at },
    ]);
    expect(await world.rows(`SELECT 1 FROM balance_reads WHERE reason <> 'imported'`)).not.toEqual([]);
    await until(async () => world.bus.published.length === 2);
  });

  it('is found for an address that is registered while it waits, once per project', async () => {
    const one = await begin();
    mempool.set(one, pay('1', BOB, ALICE), pay('2', BOB, BOB));
    await looks();
    expect(await world.events()).toEqual([]);
    await world.watch(project, ALICE);
    await untilTold(1);
    // The same project learns nothing new from its other address; another project does.
    await world.watch(project, BOB);
    await untilTold(2);
    const other = await world.addProject();
    await world.watch(other, ALICE);
    await untilTold(3);
    await looks();
    expect(
      (await payloads()).map(({ project_id, data }) => [project_id, data.transaction.direction]),
    ).toEqual([
      [project, 'in'],
      [project, 'self'],
      [other, 'in'],
    ]);
    expect(
      await world.rows(
        'SELECT monitored_addresses FROM transfers WHERE project_id = $1 AND to_address = $2',
        [project, ALICE],
      ),
    ).toEqual([{ monitored_addresses: [BOB, ALICE] }]);
  });

  it('fails when it is gone for longer than the grace, and is detected anew when it comes back', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    const payment = pay('1', BOB, ALICE);
    mempool.set(one, payment);
    await untilTold(1);
    mempool.set(one);
    await looks();
    mempool.set(one, payment);
    await looks(20);
    expect(await told()).toEqual(['transaction.detected pending']);
    mempool.set(one);
    await untilTold(2);
    expect(await records()).toEqual([{ status: 'failed', epoch: 1, block_number: null }]);
    mempool.set(one, payment);
    await untilTold(3);
    const two = world.chain.make(one, { transactions: [payment] });
    mempool.set(two);
    await world.feedBlocks(two);
    await world.settle();
    await looks();
    expect(
      (await payloads()).map(({ type, event_id, data }) => [type, data.transaction.status, event_id]),
    ).toEqual([
      [
        'transaction.detected',
        'pending',
        eventIdOf({
          projectId: project,
          type: 'transaction.detected',
          chainGid: network.gid,
          hash: payment.hash,
          epoch: 0,
        }),
      ],
      [
        'transaction.failed',
        'failed',
        eventIdOf({
          projectId: project,
          type: 'transaction.failed',
          chainGid: network.gid,
          hash: payment.hash,
          epoch: 0,
        }),
      ],
      [
        'transaction.detected',
        'pending',
        eventIdOf({
          projectId: project,
          type: 'transaction.detected',
          chainGid: network.gid,
          hash: payment.hash,
          epoch: 1,
        }),
      ],
    ]);
    expect(await records()).toEqual([{ status: 'detected', epoch: 1, block_number: 2 }]);
  });

  it('is detected anew by a block after it failed', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    const payment = pay('1', BOB, ALICE);
    mempool.set(one, payment);
    await untilTold(1);
    mempool.set(one);
    await untilTold(2);
    await world.feedBlocks(world.chain.make(one, { transactions: [payment] }));
    await world.settle();
    expect(await told()).toEqual([
      'transaction.detected pending',
      'transaction.failed failed',
      'transaction.detected detected',
    ]);
    expect(new Set((await world.events()).map(({ event_id }) => event_id)).size).toBe(3);
  });

  it('is pending again when a reorg brings it back, with the next epoch', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    const payment = pay('1', BOB, ALICE);
    mempool.set(one, payment);
    await untilTold(1);
    const two = world.chain.make(one, { transactions: [payment] });
    const other = world.chain.make(one, {}, 'other');
    // Mined and back between two looks at the mempool: the node never seemed to lose it.
    await world.feedBlocks(two);
    await world.settle();
    await world.feedReorg([two]);
    await world.feedBlocks(other);
    await world.settle();
    mempool.set(other, payment);
    await untilTold(3);
    expect(await told()).toEqual([
      'transaction.detected pending',
      'transaction.reorged reorged',
      'transaction.detected pending',
    ]);
    expect(await records()).toEqual([{ status: 'pending', epoch: 1, block_number: null }]);
    const three = world.chain.make(other, { transactions: [payment] });
    mempool.set(three);
    await world.feedBlocks(three);
    await world.feedFinalize(three);
    await world.settle();
    await looks();
    expect((await told()).slice(3)).toEqual(['transaction.confirmed confirmed']);
    expect(await records()).toEqual([{ status: 'confirmed', epoch: 1, block_number: 3 }]);
  });

  it('is not confirmed by height while it waits', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    mempool.set(one, pay('1', BOB, ALICE));
    await untilTold(1);
    const two = world.chain.make(one);
    mempool.head = two;
    await world.feedBlocks(two);
    await world.feedFinalize(two);
    await world.settle();
    await looks();
    expect(await records()).toEqual([{ status: 'pending', epoch: 0, block_number: null }]);
  });
});

describe('the mempool of a node', () => {
  it('is not believed while it stands on another block than the analyzer', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    const payment = pay('1', BOB, ALICE);
    const two = world.chain.make(one, { transactions: [payment] });
    await world.feedBlocks(two);
    await world.settle();
    // An older snapshot, and one of another branch: the block was analysed before the mempool ever had it.
    mempool.set(one, payment);
    await looks();
    mempool.set(world.chain.make(one, {}, 'other'), payment, pay('2', BOB, ALICE));
    await looks();
    expect(await told()).toEqual(['transaction.detected detected']);
    mempool.set(two, payment, pay('2', BOB, ALICE));
    await untilTold(2);
    await looks();
    expect(await told()).toEqual(['transaction.detected detected', 'transaction.detected pending']);
  });

  it('is not missed: slow or silent, blocks go on, and nobody fails meanwhile', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    mempool.set(one, pay('1', BOB, ALICE));
    await untilTold(1);
    mempool.isDown = true;
    const two = world.chain.make(one, { transactions: [pay('2', BOB, ALICE)] });
    await world.feedBlocks(two);
    await world.settle();
    const from = mempool.refusals;
    await until(async () => mempool.refusals >= from + 3);
    expect(await told()).toEqual(['transaction.detected pending', 'transaction.detected detected']);
    mempool.isDown = false;
    mempool.set(two, pay('1', BOB, ALICE), pay('3', BOB, ALICE));
    await untilTold(3);
    expect((await told()).at(-1)).toBe('transaction.detected pending');
  });

  it('is read again after a restart, and nothing is told twice', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    const [first, second, third] = [pay('1', BOB, ALICE), pay('2', BOB, ALICE), pay('3', BOB, ALICE)];
    mempool.set(one, first!, second!);
    await untilTold(2);
    await world.stopAnalyzer();
    const two = world.chain.make(one, { transactions: [second!] });
    await world.feedBlocks(two);
    mempool.set(two, first!, third!);
    world.startAnalyzer();
    await untilTold(3);
    await looks();
    expect(await told()).toEqual(Array(3).fill('transaction.detected pending'));
    mempool.set(two, third!);
    await untilTold(4);
    expect(
      await world.rows('SELECT hash, status, epoch FROM transactions ORDER BY detected_at, hash'),
    ).toEqual(
      expect.arrayContaining([
        { hash: first!.hash, status: 'failed', epoch: 1 },
        { hash: second!.hash, status: 'detected', epoch: 0 },
        { hash: third!.hash, status: 'pending', epoch: 0 },
      ]),
    );
  });

  it('is fetched in batches of 100 at most', async () => {
    await world.watch(project, ALICE);
    const one = await begin();
    mempool.set(
      one,
      ...Array.from({ length: 2_350 }, (_, index) => pay(`n${index}`, BOB, index % 100 === 0 ? ALICE : BOB)),
    );
    await untilTold(24);
    expect(Math.max(...mempool.fetched.map((batch) => batch.length))).toBe(100);
    await looks();
    expect(mempool.fetched.flat()).toHaveLength(2_350);
  });

  it('settles what was pending where a project does not monitor the address any more', async () => {
    const alice = await world.watch(project, ALICE);
    const one = await begin();
    const payment = pay('1', BOB, ALICE);
    mempool.set(one, payment);
    await untilTold(1);
    await world.setMonitored(alice.id, false);
    const two = world.chain.make(one, { transactions: [payment] });
    mempool.set(two);
    await world.feedBlocks(two);
    await world.settle();
    await looks();
    expect(await records()).toEqual([{ status: 'detected', epoch: 0, block_number: 2 }]);
    expect(await told()).toEqual(['transaction.detected pending']);
  });
});

it('sets a pending transaction aside that cannot be stored, and tells of the others', async () => {
  await world.watch(project, ALICE);
  const one = await begin();
  const poison = pay('poison', BOB, ALICE, 10n ** 78n);
  mempool.set(one, pay('before', BOB, ALICE), poison, pay('behind', BOB, ALICE));
  await untilTold(2);
  expect(await told()).toEqual(['transaction.detected pending', 'transaction.detected pending']);
  const incidents = () =>
    world.rows<{ status: string }>('SELECT kind, status, subject_id FROM incidents ORDER BY created_at');
  expect(await incidents()).toEqual([
    { kind: 'poison:mempool', status: 'quarantined', subject_id: poison.hash },
  ]);
  // It does not hold up what comes later, and ends when it is gone.
  mempool.set(one, pay('before', BOB, ALICE), pay('behind', BOB, ALICE), pay('later', BOB, ALICE));
  await untilTold(3);
  await until(async () => (await incidents())[0]!.status === 'resolved');
});
