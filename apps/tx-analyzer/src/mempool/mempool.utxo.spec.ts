// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import { SpecMempool } from '../spec-world/spec-chain.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from '../spec-world/spec-utxo-chain.ts';
import { SpecWorld } from '../spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
let mempool: SpecMempool;
let one: Block;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, {
    of: { network: utxoNetwork, utxo: codec },
    mempoolPollMs: 10,
    mempoolGraceMs: 150,
  });
  mempool = world.chain.mempool = new SpecMempool();
  project = await world.addProject();
});
afterEach(() => world.stop());

const foreign = (name: string) => ({ txid: hashOf(name), vout: 0 });
const coinOf = (transaction: Transaction, vout = 0) => ({ txid: transaction.hash, vout });
const idOf = (
  type: 'transaction.detected' | 'transaction.failed',
  { hash }: Transaction,
  epoch = 0,
  projectId = project,
) => eventIdOf({ projectId, type, chainGid: utxoNetwork.gid, hash, epoch });
const payloads = async () =>
  (await world.events()).map((event) =>
    EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)),
  );
const eventIds = async () => (await world.events()).map(({ event_id }) => event_id);
const record = async ({ hash }: Transaction, projectId = project) =>
  (
    await world.rows<{
      status: string;
      epoch: number;
      replaced_by: string | null;
      block_number: number | null;
    }>(
      'SELECT status, epoch, replaced_by, block_number FROM transactions WHERE hash = $1 AND project_id = $2',
      [hash, projectId],
    )
  )[0];
const pendingInputs = async () =>
  (await world.rows<{ key: string }>(`SELECT DISTINCT hash AS key FROM pending_inputs`))
    .map(({ key }) => key)
    .sort();
const until = (check: () => Promise<boolean>) => waitFor(check, { intervalMs: 5 });
const untilTold = (count: number) => until(async () => (await world.events()).length >= count);
const looks = async (count = 5): Promise<void> => {
  const from = mempool.snapshots;
  await until(async () => mempool.snapshots >= from + count);
};

async function begin(...transactions: Transaction[]): Promise<void> {
  one = world.chain.make(undefined, { transactions });
  await world.feedBlocks(one);
  mempool.set(one);
  world.startAnalyzer();
  await world.settle();
}

async function mine(
  parent: Block,
  transactions: Transaction[],
  left: Transaction[] = [],
  salt = '',
): Promise<Block> {
  const block = world.chain.make(parent, { transactions }, salt);
  mempool.set(block, ...left);
  await world.feedBlocks(block);
  await world.settle();
  return block;
}

describe('a replacement', () => {
  it('tells every project that knew the replaced one, a dropped recipient too, and names itself', async () => {
    const other = await world.addProject();
    await world.watch(project, 'alice');
    await world.watch(other, 'bob');
    await begin();
    const first = makeUtxoTransaction(
      'first',
      [foreign('coin'), foreign('more')],
      [
        ['alice', 5n],
        ['bob', 3n],
      ],
    );
    const second = makeUtxoTransaction('second', [foreign('coin')], [['bob', 7n]]);
    mempool.set(one, first);
    await untilTold(2);
    expect(await pendingInputs()).toEqual([first.hash]);
    mempool.set(one, second);
    await untilTold(5);
    await looks();
    expect(
      (await payloads()).map(({ project_id, type, data: { transaction } }) => [
        project_id,
        type,
        transaction.hash,
        transaction.replaced_by,
      ]),
    ).toEqual([
      ...[project, other]
        .sort()
        .map((id) => [id, 'transaction.detected', first.hash, null])
        .sort(([a], [b]) => [project, other].indexOf(a!) - [project, other].indexOf(b!)),
      ...[project, other].map((id) => [id, 'transaction.failed', first.hash, second.hash]),
      [other, 'transaction.detected', second.hash, null],
    ]);
    expect(await record(first)).toEqual({
      status: 'failed',
      epoch: 1,
      replaced_by: second.hash,
      block_number: null,
    });
    expect(await pendingInputs()).toEqual([second.hash]);
  });

  it('takes what stands on the replaced one with it', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [foreign('a')], [['alice', 9n]]);
    await begin(deposit);
    const parent = makeUtxoTransaction(
      'parent',
      [coinOf(deposit)],
      [
        ['alice', 5n],
        ['bob', 3n],
      ],
    );
    const child = makeUtxoTransaction('child', [coinOf(parent)], [['bob', 4n]]);
    const grandchild = makeUtxoTransaction('grandchild', [coinOf(child)], [['alice', 2n]]);
    // A node lists them in any order.
    mempool.set(one, grandchild, child, parent);
    await untilTold(4);
    expect(
      (await payloads())
        .slice(1)
        .map(({ data: { transaction } }) => [
          transaction.hash,
          transaction.direction,
          transaction.fee?.amount_raw,
        ]),
    ).toEqual([
      [parent.hash, 'out', '1'],
      [child.hash, 'out', '1'],
      [grandchild.hash, 'in', undefined],
    ]);
    const bump = makeUtxoTransaction('bump', [coinOf(deposit)], [['bob', 8n]]);
    mempool.set(one, bump);
    await untilTold(8);
    await looks();
    for (const gone of [parent, child, grandchild])
      expect(await record(gone)).toEqual({
        status: 'failed',
        epoch: 1,
        replaced_by: bump.hash,
        block_number: null,
      });
    expect(await eventIds()).toEqual(
      expect.arrayContaining([parent, child, grandchild].map((gone) => idOf('transaction.failed', gone))),
    );
    expect(await eventIds()).toHaveLength(8);
  });

  it('takes what stands on it by way of somebody foreign with it, in the mempool and by a block', async () => {
    await world.watch(project, 'alice');
    await begin();
    const ours = makeUtxoTransaction(
      'ours',
      [foreign('a')],
      [
        ['bob', 5n],
        ['alice', 3n],
      ],
    );
    const theirs = makeUtxoTransaction('theirs', [coinOf(ours)], [['carol', 4n]]);
    mempool.set(one, theirs, ours);
    await untilTold(1);
    await looks();
    // Looked at before anybody knew that somebody of ours would stand on it.
    const back = makeUtxoTransaction('back', [coinOf(theirs)], [['alice', 3n]]);
    mempool.set(one, back, theirs, ours);
    await untilTold(2);
    await looks();
    const bump = makeUtxoTransaction('bump', [foreign('a')], [['bob', 7n]]);
    mempool.set(one, bump);
    await untilTold(4);
    for (const gone of [ours, back])
      expect(await record(gone)).toEqual({
        status: 'failed',
        epoch: 1,
        replaced_by: bump.hash,
        block_number: null,
      });
    const [first, second] = [
      makeUtxoTransaction('first', [foreign('b')], [['bob', 4n]]),
      makeUtxoTransaction('second', [foreign('b')], [['carol', 4n]]),
    ];
    const payment = makeUtxoTransaction('payment', [coinOf(first)], [['alice', 2n]]);
    mempool.set(one, bump, payment, first);
    await untilTold(5);
    await mine(one, [second], [bump]);
    await untilTold(6);
    expect(await record(payment)).toEqual({
      status: 'failed',
      epoch: 1,
      replaced_by: second.hash,
      block_number: null,
    });
    expect(await pendingInputs()).toEqual([]);
  });

  it('may be replaced itself by what it replaced, as nodes differ', async () => {
    await world.watch(project, 'alice');
    await begin();
    const first = makeUtxoTransaction('first', [foreign('coin')], [['alice', 5n]]);
    const second = makeUtxoTransaction('second', [foreign('coin')], [['alice', 4n]]);
    mempool.set(one, first);
    await untilTold(1);
    mempool.set(one, second);
    await untilTold(3);
    mempool.set(one, first);
    await untilTold(5);
    expect(await record(first)).toEqual({
      status: 'pending',
      epoch: 1,
      replaced_by: null,
      block_number: null,
    });
    expect(await record(second)).toEqual({
      status: 'failed',
      epoch: 1,
      replaced_by: first.hash,
      block_number: null,
    });
    expect(await eventIds()).toEqual([
      idOf('transaction.detected', first),
      idOf('transaction.failed', first),
      idOf('transaction.detected', second),
      idOf('transaction.failed', second),
      idOf('transaction.detected', first, 1),
    ]);
  });

  it('is seen by inputs after a restart, too', async () => {
    await world.watch(project, 'alice');
    await begin();
    const first = makeUtxoTransaction(
      'first',
      [foreign('a'), foreign('coin')],
      [
        ['bob', 1n],
        ['alice', 5n],
      ],
    );
    mempool.set(one, first);
    await untilTold(1);
    await world.stopAnalyzer();
    const child = makeUtxoTransaction('child', [coinOf(first, 1)], [['bob', 4n]]);
    mempool.set(one, first, child);
    world.startAnalyzer();
    await untilTold(2);
    expect((await payloads())[1]!.data.transaction).toMatchObject({
      hash: child.hash,
      direction: 'out',
      fee: { amount_raw: '1' },
    });
    await world.stopAnalyzer();
    const second = makeUtxoTransaction('second', [foreign('coin')], [['bob', 6n]]);
    mempool.set(one, second);
    world.startAnalyzer();
    await untilTold(4);
    for (const gone of [first, child])
      expect(await record(gone)).toMatchObject({ status: 'failed', replaced_by: second.hash });
  });
});

describe('a block', () => {
  it('fails what it makes impossible and all that stands on it, in the step that mines the rest', async () => {
    await world.watch(project, 'alice');
    await begin();
    const doomed = makeUtxoTransaction('doomed', [foreign('coin')], [['alice', 5n]]);
    const child = makeUtxoTransaction('child', [coinOf(doomed)], [['alice', 4n]]);
    const fine = makeUtxoTransaction('fine', [foreign('other')], [['alice', 3n]]);
    const heir = makeUtxoTransaction('heir', [coinOf(fine)], [['alice', 2n]]);
    mempool.set(one, doomed, child, fine, heir);
    await untilTold(4);
    // Nobody of ours has part in what conflicts, and the mempool never had it.
    const thief = makeUtxoTransaction('thief', [foreign('coin')], [['carol', 5n]]);
    await mine(one, [thief, fine], [heir]);
    await looks();
    for (const gone of [doomed, child])
      expect(await record(gone)).toEqual({
        status: 'failed',
        epoch: 1,
        replaced_by: thief.hash,
        block_number: null,
      });
    expect(await record(fine)).toMatchObject({ status: 'detected', block_number: 2 });
    expect(await record(heir)).toMatchObject({ status: 'pending' });
    expect(await pendingInputs()).toEqual([heir.hash]);
    expect(new Set((await eventIds()).slice(4))).toEqual(
      new Set([doomed, child].map((gone) => idOf('transaction.failed', gone))),
    );
    expect(await world.rows('SELECT txid FROM utxos')).toEqual([{ txid: fine.hash }]);
  });

  it('that is undone gives back what it failed', async () => {
    await world.watch(project, 'alice');
    await begin();
    const payment = makeUtxoTransaction('payment', [foreign('coin')], [['alice', 5n]]);
    mempool.set(one, payment);
    await untilTold(1);
    const thief = makeUtxoTransaction('thief', [foreign('coin')], [['carol', 5n]]);
    const two = await mine(one, [thief]);
    await untilTold(2);
    await world.feedReorg([two]);
    const three = await mine(one, [], [payment], 'other');
    await untilTold(3);
    expect(await record(payment)).toEqual({
      status: 'pending',
      epoch: 1,
      replaced_by: null,
      block_number: null,
    });
    await mine(three, [payment]);
    await looks();
    expect(await eventIds()).toEqual([
      idOf('transaction.detected', payment),
      idOf('transaction.failed', payment),
      idOf('transaction.detected', payment, 1),
    ]);
    expect(await record(payment)).toEqual({
      status: 'detected',
      epoch: 1,
      replaced_by: null,
      block_number: 3,
    });
  });

  it('takes over legs and fee from the mempool with no second event, parent and child at once', async () => {
    await world.watch(project, 'alice');
    const deposit = makeUtxoTransaction('deposit', [foreign('a')], [['alice', 9n]]);
    await begin(deposit);
    const parent = makeUtxoTransaction(
      'parent',
      [coinOf(deposit)],
      [
        ['bob', 3n],
        ['alice', 5n],
      ],
    );
    const child = makeUtxoTransaction('child', [coinOf(parent, 1)], [['bob', 4n]]);
    mempool.set(one, parent, child);
    await untilTold(3);
    const legs = () =>
      world.rows(
        'SELECT t.hash, r.index, r.from_address, r.to_address, r.amount_raw, t.fee_amount_raw FROM transactions t JOIN transfers r ON r.transaction_id = t.id ORDER BY t.hash, r.index',
      );
    const before = await legs();
    await mine(one, [parent, child]);
    await looks();
    expect(await legs()).toEqual(before);
    expect(await eventIds()).toHaveLength(3);
    expect(await pendingInputs()).toEqual([]);
    expect(
      await world.rows(
        'SELECT txid, vout, spent_by FROM utxos WHERE spent_by IS NOT NULL ORDER BY block_number',
      ),
    ).toEqual([
      { txid: deposit.hash, vout: 0, spent_by: parent.hash },
      { txid: parent.hash, vout: 1, spent_by: child.hash },
    ]);
  });

  it('may pay a coin whose spender the mempool had before', async () => {
    await world.watch(project, 'alice');
    await begin();
    const payment = makeUtxoTransaction('payment', [foreign('coin')], [['alice', 5n]]);
    const spender = makeUtxoTransaction('spender', [coinOf(payment)], [['bob', 4n]]);
    // The node's mempool seems to hold the child alone: the parent came and was mined unseen.
    const two = world.chain.make(one, { transactions: [payment] });
    mempool.set(one, spender);
    await looks();
    mempool.set(two, spender);
    await world.feedBlocks(two);
    await world.settle();
    await untilTold(2);
    expect(
      (await payloads()).map(({ data: { transaction } }) => [
        transaction.hash,
        transaction.status,
        transaction.direction,
      ]),
    ).toEqual([
      [payment.hash, 'detected', 'in'],
      [spender.hash, 'pending', 'out'],
    ]);
  });
});

describe('an address that is registered late', () => {
  it('finds its pending payment and what spends it, however long they are known', async () => {
    await begin();
    const payment = makeUtxoTransaction('payment', [foreign('coin')], [['alice', 5n]]);
    const spender = makeUtxoTransaction('spender', [coinOf(payment)], [['bob', 4n]]);
    mempool.set(one, payment, spender, makeUtxoTransaction('noise', [foreign('x')], [['bob', 4n]]));
    await looks();
    await world.watch(project, 'alice');
    await untilTold(2);
    await looks();
    expect(
      (await payloads()).map(({ data: { transaction } }) => [transaction.hash, transaction.direction]),
    ).toEqual([
      [payment.hash, 'in'],
      [spender.hash, 'out'],
    ]);
  });

  it('adds its leg to what its project was told, with no second event', async () => {
    await world.watch(project, 'alice');
    await begin();
    const payment = makeUtxoTransaction(
      'payment',
      [foreign('coin')],
      [
        ['alice', 5n],
        ['bob', 2n],
      ],
    );
    mempool.set(one, payment);
    await untilTold(1);
    await world.watch(project, 'bob');
    await until(async () => (await world.rows('SELECT 1 FROM transfers')).length === 2);
    await looks();
    expect(await eventIds()).toHaveLength(1);
    expect(await world.rows('SELECT 1 FROM transaction_addresses')).toHaveLength(2);
  });
});

it('writes nothing of the mempool while a chain recovers from a reorg below finality', async () => {
  await world.watch(project, 'alice');
  await begin();
  const payment = makeUtxoTransaction('payment', [foreign('coin')], [['alice', 5n]]);
  const two = await mine(one, [], []);
  await world.feedFinalize(two);
  await world.settle();
  const three = world.chain.make(one, {}, 'three');
  const four = world.chain.make(three, {}, 'four');
  await world.feedReorg([two], world.seq + 3);
  await world.feedBlocks(three);
  mempool.set(three, payment);
  await world.settle();
  await looks();
  expect(await eventIds()).toEqual([]);
  mempool.set(four, payment);
  await world.feedBlocks(four);
  await untilTold(1);
  expect(await world.rows('SELECT is_held FROM event_log')).toEqual([{ is_held: false }]);
});
