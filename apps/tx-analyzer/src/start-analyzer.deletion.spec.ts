// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction, Transfer } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf, NATIVE } from '@chainwatch/data/testing';
import { makeTransaction, SpecMempool } from './spec-world/spec-chain.ts';
import type { SpecAddress } from './spec-world/spec-database.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
afterEach(() => world.stop());

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const STRANGER = '0xcccccccccccccccccccccccccccccccccccccccc';

const pay = (name: string, from: string, to: string, amountRaw = 5n): Transaction => {
  const transfer: Transfer = { index: 0, type: 'native', assetGid: NATIVE, from, to, amountRaw };
  return makeTransaction(name, {
    from,
    to,
    fee: { assetGid: NATIVE, amountRaw: 21n, payer: from },
    transfers: [transfer],
  });
};
const remove = ({ id }: SpecAddress) => world.db.query('DELETE FROM addresses WHERE id = $1', [id]);
const describeAs = ({ id }: SpecAddress) =>
  world.db.query(
    `UPDATE addresses SET label = 'Treasury', metadata = '{"customer": 7}', groups = '{shop-7}' WHERE id = $1`,
    [id],
  );
const payloads = async (projectId = project) =>
  (await world.events())
    .filter(({ project_id }) => project_id === projectId)
    .map((event) => EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload)));
/** Type, and what each address id is told to have gained. */
const told = async (projectId = project) =>
  (await payloads(projectId)).map(({ type, data }) => [
    type.replace('transaction.', ''),
    data.balance_changes.map(({ address_id, delta_raw }) => `${address_id} ${delta_raw}`).sort(),
  ]);
const tombstones = () => world.rows('SELECT address_id FROM transaction_tombstones');

async function feed(...blocks: readonly Block[]): Promise<void> {
  await world.feedBlocks(...blocks);
  await world.settle();
}

async function feedFinal(block: Block): Promise<void> {
  await world.feedFinalize(block);
  await world.settle();
}

async function feedReorg(...orphans: readonly Block[]): Promise<void> {
  await world.feedReorg(orphans);
  await world.settle();
}

describe('an address that is deleted', () => {
  beforeEach(async () => {
    world = await SpecWorld.start(postgres);
    project = await world.addProject();
    world.startAnalyzer();
  });

  it('is named by the confirmation of what was told, with its groups and nothing else of its user, and gone then', async () => {
    const alice = await world.watch(project, ALICE);
    await describeAs(alice);
    const one = world.chain.make(undefined, { transactions: [pay('1', STRANGER, ALICE)] });
    await feed(one);
    await remove(alice);
    await feed(world.chain.make(one, { transactions: [pay('2', STRANGER, ALICE)] }));
    await feedFinal(one);
    expect(await told()).toEqual([
      ['detected', [`${alice.id} 5`]],
      ['confirmed', [`${alice.id} 5`]],
    ]);
    const [detected, confirmed] = await payloads();
    expect(detected!.data.addresses).toMatchObject([{ label: 'Treasury', metadata: { customer: 7 } }]);
    expect(confirmed!.data.addresses).toEqual([
      {
        address_id: alice.id,
        address: ALICE,
        label: null,
        groups: ['shop-7'],
        metadata: {},
        metadata_truncated: true,
      },
    ]);
    expect(confirmed!.data.balance_changes).toEqual(detected!.data.balance_changes);
    expect(confirmed!.data.transaction.transfers).toEqual(detected!.data.transaction.transfers);
    expect(await tombstones()).toEqual([]);
    expect(await world.rows('SELECT FROM balance_reads')).toEqual([]);
    expect(await world.rows('SELECT FROM transaction_addresses')).toEqual([]);
  });

  it.each(['detected', 'confirmed'])('is named by the reorg of what was %s, once', async (status) => {
    await world.choosePolicy(project, status === 'confirmed' ? 1 : undefined);
    const alice = await world.watch(project, ALICE);
    const [root, transactions] = [world.chain.make(undefined), [pay('1', STRANGER, ALICE)]];
    const one = world.chain.make(root, { transactions });
    await feed(root, one);
    await waitFor(async () => (await told()).length === (status === 'confirmed' ? 2 : 1));
    await remove(alice);
    await feedReorg(one);
    const other = world.chain.make(root, { transactions }, 'other');
    await feed(other);
    await feedFinal(other);
    expect((await told()).at(-1)).toEqual(['reorged', [`${alice.id} 5`]]);
    expect(await tombstones()).toEqual([]);
  });

  it('leaves the events of an address that stays, and of other projects, as they are', async () => {
    const other = await world.addProject();
    const [alice, bob, theirs] = [
      await world.watch(project, ALICE),
      await world.watch(project, BOB),
      await world.watch(other, ALICE),
    ];
    await describeAs(theirs);
    const root = world.chain.make(undefined);
    const transactions = [pay('1', ALICE, BOB)];
    const one = world.chain.make(root, { transactions });
    await feed(root, one);
    await remove(alice);
    await feedReorg(one);
    const again = world.chain.make(root, { transactions }, 'again');
    await feed(again);
    await feedFinal(again);
    const both = [`${alice.id} -26`, `${bob.id} 5`].sort();
    expect(await told()).toEqual([
      ['detected', both],
      ['reorged', both],
      ['detected', [`${bob.id} 5`]],
      ['confirmed', [`${bob.id} 5`]],
    ]);
    const theirTold = ['detected', 'reorged', 'detected', 'confirmed'].map((type) => [
      type,
      [`${theirs.id} -26`],
    ]);
    expect(await told(other)).toEqual(theirTold);
    for (const { data } of await payloads(other))
      expect(data.addresses).toMatchObject([
        { label: 'Treasury', metadata: { customer: 7 }, metadata_truncated: false },
      ]);
  });

  it('and added again is not told twice: what was told goes on with the old id, what comes with the new one', async () => {
    const first = await world.watch(project, ALICE);
    const one = world.chain.make(undefined, { transactions: [pay('1', STRANGER, ALICE)] });
    await feed(one);
    await remove(first);
    // Its watch counts from the head, which holds that payment.
    const second = await world.watch(project, ALICE);
    await waitFor(async () => (await world.rows('SELECT FROM transaction_addresses')).length === 1, {
      message: 'the transaction to be listed for the new id',
    });
    await remove(second);
    const third = await world.watch(project, ALICE);
    const two = world.chain.make(one, { transactions: [pay('2', STRANGER, ALICE, 7n)] });
    await feed(two);
    await feedFinal(two);
    expect(await told()).toEqual([
      ['detected', [`${first.id} 5`]],
      ['detected', [`${third.id} 7`]],
      ['confirmed', [`${first.id} 5`]],
      ['confirmed', [`${third.id} 7`]],
    ]);
    const held = await world.rows<{ address_id: string }>(
      `SELECT DISTINCT address_id FROM balance_reads WHERE reason = 'confirmed'`,
    );
    expect(held).toEqual([{ address_id: third.id }]);
  });

  it('goes with its project', async () => {
    const alice = await world.watch(project, ALICE);
    await feed(world.chain.make(undefined, { transactions: [pay('1', STRANGER, ALICE)] }));
    await remove(alice);
    expect(await tombstones()).toHaveLength(1);
    await world.db.query('DELETE FROM transactions WHERE project_id = $1', [project]);
    expect(await tombstones()).toEqual([]);
  });
});

describe('an address that is deleted, or not monitored any more, while its transaction is in the mempool', () => {
  const coin = { txid: hashOf('coin'), vout: 0 };
  const stop = {
    deleted: remove,
    'not monitored': ({ id }: SpecAddress) => world.setMonitored(id, false),
  };
  let mempool: SpecMempool;
  let root: Block;

  beforeEach(async () => {
    world = await SpecWorld.start(postgres, {
      of: { network: utxoNetwork, utxo: codec },
      mempoolPollMs: 10,
      mempoolGraceMs: 50,
    });
    mempool = world.chain.mempool = new SpecMempool();
    project = await world.addProject();
  });

  async function begin(...transactions: readonly Transaction[]): Promise<void> {
    root = world.chain.make(undefined, { transactions });
    await world.feedBlocks(root);
    mempool.set(root);
    world.startAnalyzer();
    await world.settle();
  }

  it.each(['deleted', 'not monitored'] as const)('keeps the changes: %s', async (how) => {
    const [alice, bob] = [await world.watch(project, 'alice'), await world.watch(project, 'bob')];
    const deposit = makeUtxoTransaction('deposit', [coin], [['alice', 9n]]);
    await begin(deposit);
    const outputs = [
      ['bob', 3n],
      ['stranger', 4n],
      ['alice', 1n],
    ] as const;
    const payment = makeUtxoTransaction('payment', [{ txid: deposit.hash, vout: 0 }], outputs);
    mempool.set(root, payment);
    await waitFor(async () => (await told()).length === 2);
    await stop[how](alice);
    const block = world.chain.make(root, { transactions: [payment] });
    mempool.set(block);
    await feed(block);
    await feedFinal(block);
    const changes = [`${alice.id} -8`, `${bob.id} 3`].sort();
    expect(await told()).toEqual([
      ['detected', [`${alice.id} 9`]],
      ['detected', changes],
      ['confirmed', [`${alice.id} 9`]],
      ['confirmed', changes],
    ]);
    const [, detected, , confirmed] = await payloads();
    const { transfers, direction } = detected!.data.transaction;
    expect(confirmed!.data.transaction).toMatchObject({ transfers, direction });
    expect(await tombstones()).toEqual([]);
  });

  it('is named where the transaction leaves the mempool, once', async () => {
    await begin();
    const alice = await world.watch(project, 'alice');
    const payment = makeUtxoTransaction('payment', [coin], [['alice', 3n]]);
    mempool.set(root, payment);
    await waitFor(async () => (await told()).length === 1);
    await remove(alice);
    mempool.set(root);
    await waitFor(async () => (await told()).length === 2);
    expect((await told())[1]).toEqual(['failed', [`${alice.id} 3`]]);
    await feedFinal(root);
    expect(await tombstones()).toEqual([]);
  });
});
