// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf, NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const CAROL = '0xcccccccccccccccccccccccccccccccccccccccc';
const pay = (name: string, to: string) =>
  makeTransaction(name, {
    from: BOB,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to, amountRaw: 5n }],
  });

describe('a chain whose node began anew, after its reset', () => {
  let postgres: PostgresHandle;
  let world: SpecWorld;
  let project: string;
  const told = async () =>
    (await world.events()).map(({ type, payload }) => {
      const { transaction } = EVENT_SCHEMAS[type as 'transaction.detected'].parse(JSON.parse(payload)).data;
      return `${type} ${transaction.hash === same.hash ? 'same' : transaction.hash === old.hash ? 'old' : 'new'} ${transaction.block_number}`;
    });
  /** Sent on either chain: its hash is the same. */
  const same = pay('same', ALICE);
  const old = pay('old', ALICE);

  beforeAll(async () => {
    postgres = await SpecWorld.postgres();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    world = await SpecWorld.start(postgres);
    project = await world.addProject();
  });
  afterEach(() => world.stop());

  /** Blocks 101 up to 100 + `count` of the chain before, with Alice registered at the first of them. */
  async function followOld(count: number): Promise<Block[]> {
    await world.db.query('UPDATE ingestor_states SET start_number = 101');
    const blocks = [world.chain.make({ number: 100, hash: hashOf('below') })];
    world.startAnalyzer();
    await world.feedBlocks(blocks[0]!);
    await world.watch(project, ALICE);
    for (let index = 1; index < count; index += 1)
      blocks.push(world.chain.make(blocks.at(-1), index === 1 ? { transactions: [same, old] } : {}));
    await world.feedBlocks(...blocks.slice(1));
    await world.feedFinalize(blocks[1]!);
    await world.settle();
    return blocks;
  }

  /** What the ingestor does. */
  async function reset(blocks: readonly Block[]): Promise<void> {
    await world.feedReorg(blocks.toReversed(), world.seq + blocks.length);
    await world.db.query('UPDATE ingestor_states SET head_number = NULL, head_hash = NULL, start_number = 1');
  }

  it('undoes what it told, and tells what the new chain has below the old one, also for whoever was registered at its head', async () => {
    const blocks = await followOld(4);
    await reset(blocks);
    await world.settle();
    const first = world.chain.make(undefined, {}, 'anew');
    const second = world.chain.make(first, { transactions: [same, pay('new', ALICE)] }, 'anew');
    await world.feedBlocks(first, second);
    await world.feedFinalize(second);
    await world.settle();
    expect((await told()).slice(4)).toEqual([
      'transaction.reorged old 102',
      'transaction.reorged same 102',
      'transaction.detected same 2',
      'transaction.detected new 2',
      'transaction.confirmed same 2',
      'transaction.confirmed new 2',
    ]);
    expect(new Set((await world.events()).map(({ event_id: id }) => id)).size).toBe(10);
    expect(
      await world.rows('SELECT epoch, status, block_number FROM transactions WHERE hash = $1', [same.hash]),
    ).toEqual([{ epoch: 1, status: 'confirmed', block_number: 2 }]);
    expect(world.analyzer!.reports()).toMatchObject([{ status: 'following', lagBlocks: 0, cursorNumber: 2 }]);
    await waitFor(async () => (await world.events()).every((event) => event.is_published), {
      message: 'all to be published',
    });
    expect(await world.rows(`SELECT asset_gid FROM balance_reads WHERE reason = 'reorged'`)).toContainEqual({
      asset_gid: NATIVE,
    });
  });

  it('finds what came before somebody was registered while nothing was followed', async () => {
    const blocks = await followOld(3);
    await world.watch(project, CAROL);
    await reset(blocks);
    await world.settle();
    const first = world.chain.make(undefined, { transactions: [pay('new', BOB)] }, 'anew');
    const second = world.chain.make(first, { transactions: [pay('newer', CAROL)] }, 'anew');
    await world.watch(project, BOB);
    await world.feedBlocks(first, second);
    await world.settle();
    expect((await told()).slice(4)).toEqual([
      'transaction.reorged old 102',
      'transaction.reorged same 102',
      'transaction.detected new 1',
      'transaction.detected new 2',
    ]);
  });

  it('undoes more than one step takes, whatever bodies the node does not have any more', async () => {
    const blocks = await followOld(600);
    const unread = world.chain.make(blocks.at(-1), { transactions: [pay('never read', ALICE)] });
    world.chain.missing.add(unread.hash);
    await world.feedBlocks(unread);
    await reset([...blocks, unread]);
    const first = world.chain.make(undefined, { transactions: [same] }, 'anew');
    await world.feedBlocks(first);
    await world.settle();
    expect((await told()).slice(4)).toEqual([
      'transaction.reorged old 102',
      'transaction.reorged same 102',
      'transaction.detected same 1',
    ]);
  });
});
