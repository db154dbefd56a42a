// SPDX-License-Identifier: Apache-2.0
import type { Transfer } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS, eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network, TOKEN } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
});
afterEach(() => world.stop());

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const CAROL = '0xcccccccccccccccccccccccccccccccccccccccc';
const MINER = '0xcccccccccccccccccccccccccccccccccccccccc';

const fee = (payer: string) => ({ assetGid: NATIVE, amountRaw: 21_000n, payer });
const native = (from: string, to: string, amountRaw = 1_500_000_000_000_000_000n) =>
  ({ index: 0, type: 'native', assetGid: NATIVE, from, to, amountRaw }) as const;
const pay = (name: string, from: string, to: string) =>
  makeTransaction(name, { from, to, fee: fee(from), transfers: [native(from, to)] });

describe('startAnalyzer', () => {
  it('detects a payment, tells it once, and confirms it when its block is final', async () => {
    const projectId = await world.addProject();
    const alice = await world.watch(projectId, ALICE);
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    const two = world.chain.make(one);
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.feedFinalize(one);
    await world.settle();

    const events = await world.events();
    expect(events.map((event) => event.type)).toEqual(['transaction.detected', 'transaction.confirmed']);
    expect(events.map((event) => event.sequence)).toEqual([1, 2]);
    const detected = EVENT_SCHEMAS['transaction.detected'].parse(JSON.parse(events[0]!.payload));
    expect(detected.event_id).toBe(
      eventIdOf({
        projectId,
        type: 'transaction.detected',
        chainGid: network.gid,
        hash: one.transactions[0]!.hash,
        epoch: 0,
      }),
    );
    expect(detected.data.transaction).toMatchObject({
      direction: 'in',
      status: 'detected',
      block_number: 1,
      fee: { amount: '0.000000000000021' },
      required_confirmations: 3,
    });
    expect(detected.data.transaction.transfers).toEqual([
      {
        index: 0,
        type: 'native',
        asset_gid: NATIVE,
        from: BOB,
        to: ALICE,
        amount: '1.5',
        amount_raw: '1500000000000000000',
        decimals: 18,
        log_index: null,
        memo: null,
        monitored_addresses: [ALICE],
      },
    ]);
    expect(detected.data.balance_changes).toEqual([
      {
        address_id: alice.id,
        address: ALICE,
        asset_gid: NATIVE,
        delta: '1.5',
        delta_raw: '1500000000000000000',
      },
    ]);
    const confirmed = EVENT_SCHEMAS['transaction.confirmed'].parse(JSON.parse(events[1]!.payload));
    expect(confirmed.data.transaction).toMatchObject({
      status: 'confirmed',
      confirmations: 2,
      transfers: detected.data.transaction.transfers,
    });
    expect(await world.rows('SELECT number, status FROM blocks ORDER BY number')).toEqual([
      { number: 1, status: 'confirmed' },
      { number: 2, status: 'processed' },
    ]);
    expect(
      await world.rows(
        `SELECT address_id, asset_gid, block_number, reason FROM balance_reads WHERE reason <> 'imported' ORDER BY id`,
      ),
    ).toEqual([
      { address_id: alice.id, asset_gid: NATIVE, block_number: 1, reason: 'detected' },
      { address_id: alice.id, asset_gid: NATIVE, block_number: 1, reason: 'confirmed' },
    ]);
    await waitFor(() => world.bus.published.length === 2);
    expect(world.bus.published.map(({ kind, tokens }) => [kind, ...tokens])).toEqual([
      ['tx.detected', network.gid, projectId],
      ['tx.confirmed', network.gid, projectId],
    ]);
    await waitFor(async () => (await world.events()).every((event) => event.is_published));
  });

  it('makes a reorganized transaction start again with a new epoch', async () => {
    const projectId = await world.addProject();
    await world.watch(projectId, ALICE);
    const payment = pay('1', ALICE, BOB);
    const one = world.chain.make(undefined);
    const two = world.chain.make(one, { transactions: [payment] });
    const other = world.chain.make(one, { transactions: [pay('2', MINER, BOB), payment] }, 'other');
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.feedReorg([two]);
    await world.feedBlocks(other);
    await world.feedFinalize(other);
    await world.settle();

    const events = await world.events();
    expect(events.map((event) => event.type)).toEqual([
      'transaction.detected',
      'transaction.reorged',
      'transaction.detected',
      'transaction.confirmed',
    ]);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(4);
    expect(events[2]!.event_id).toBe(
      eventIdOf({
        projectId,
        type: 'transaction.detected',
        chainGid: network.gid,
        hash: payment.hash,
        epoch: 1,
      }),
    );
    expect(await world.rows('SELECT status, epoch, block_hash, tx_index FROM transactions')).toEqual([
      { status: 'confirmed', epoch: 1, block_hash: other.hash, tx_index: 1 },
    ]);
  });

  it('tells each project what it says of its own address, and nobody what others say', async () => {
    const say = async (label: string, metadata: object): Promise<string> => {
      const projectId = await world.addProject();
      const { id } = await world.watch(projectId, ALICE);
      await world.rows('UPDATE addresses SET label = $2, metadata = $3, groups = ARRAY[$2] WHERE id = $1', [
        id,
        label,
        JSON.stringify(metadata),
      ]);
      return projectId;
    };
    const shop = await say('Order 7', { customer: 7 });
    const other = await say('Cold wallet', { secret: 'x'.repeat(5_000) });
    const one = world.chain.make(undefined, { transactions: [pay('1', BOB, ALICE)] });
    const two = world.chain.make(one);
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.settle();
    // What is said later stands in later events.
    await world.rows(`UPDATE addresses SET label = 'Order 8' WHERE project_id = $1`, [shop]);
    await world.feedFinalize(one);
    await world.settle();

    const events = (await world.events()).map(({ payload }) => {
      const { type } = JSON.parse(payload) as { type: 'transaction.detected' };
      const event = EVENT_SCHEMAS[type].parse(JSON.parse(payload));
      return [type, event.project_id, event.data.addresses.map(({ address_id: _, ...own }) => own)];
    });
    const cold = {
      address: ALICE,
      groups: ['Cold wallet'],
      label: 'Cold wallet',
      metadata: {},
      metadata_truncated: true,
    };
    const order = {
      address: ALICE,
      groups: ['Order 7'],
      metadata: { customer: 7 },
      metadata_truncated: false,
    };
    expect(events).toEqual(
      expect.arrayContaining([
        ['transaction.detected', shop, [{ ...order, label: 'Order 7' }]],
        ['transaction.confirmed', shop, [{ ...order, label: 'Order 8' }]],
        ['transaction.detected', other, [cold]],
        ['transaction.confirmed', other, [cold]],
      ]),
    );
    expect(events).toHaveLength(4);
  });

  it('tells each project the memos of what it was paid, and a read for history does not lose them', async () => {
    const [first, second] = [await world.addProject(), await world.addProject()];
    await world.watch(first, ALICE);
    await world.watch(second, BOB);
    const pay = (index: number, to: string, memo?: string): Transfer => ({
      index,
      type: 'token',
      assetGid: TOKEN,
      from: CAROL,
      to,
      amountRaw: 1n,
      logIndex: index,
      ...(memo === undefined ? {} : { memo }),
    });
    world.startAnalyzer();
    await world.feedBlocks(
      world.chain.make(undefined, {
        transactions: [
          makeTransaction('t', {
            from: CAROL,
            to: TOKEN,
            fee: fee(CAROL),
            transfers: [
              pay(0, ALICE, 'order 1'),
              pay(1, BOB, 'order 2'),
              pay(2, ALICE, 'order 3'),
              pay(3, ALICE),
            ],
          }),
        ],
      }),
    );
    await world.settle();
    const told = (await world.events()).map(({ payload }) => {
      const { project_id, data } = EVENT_SCHEMAS['transaction.detected'].parse(JSON.parse(payload));
      return [project_id, data.transaction.memo, data.transaction.transfers.map(({ memo }) => memo)];
    });
    expect(told).toEqual(
      expect.arrayContaining([
        [first, 'order 1\norder 3', ['order 1', 'order 3', null]],
        [second, 'order 2', ['order 2']],
      ]),
    );
    expect(await world.rows('SELECT memo FROM transfers WHERE memo IS NOT NULL ORDER BY memo')).toEqual([
      { memo: 'order 1' },
      { memo: 'order 2' },
      { memo: 'order 3' },
    ]);
  });

  it('reads the metadata of a token before the first event about it', async () => {
    const projectId = await world.addProject();
    await world.watch(projectId, ALICE);
    const transfer = {
      index: 0,
      type: 'token',
      assetGid: TOKEN,
      from: BOB,
      to: ALICE,
      amountRaw: 2_500_000n,
      logIndex: 4,
    } as const;
    world.startAnalyzer();
    await world.feedBlocks(
      world.chain.make(undefined, {
        transactions: [makeTransaction('t', { from: BOB, to: TOKEN, fee: fee(BOB), transfers: [transfer] })],
      }),
    );
    await world.settle();

    const [event] = await world.events();
    expect(
      EVENT_SCHEMAS['transaction.detected'].parse(JSON.parse(event!.payload)).data.transaction.transfers[0],
    ).toMatchObject({ amount: '2.5', decimals: 6, log_index: 4 });
    expect(
      await world.rows('SELECT namespace, status, symbol, decimals FROM assets WHERE gid = $1', [TOKEN]),
    ).toEqual([{ namespace: 'erc20', status: 'active', symbol: 'TKN', decimals: 6 }]);
  });
});
