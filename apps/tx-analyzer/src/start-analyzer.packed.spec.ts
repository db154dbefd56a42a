// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { requestReprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const pay = makeTransaction('payment', {
  from: BOB,
  fee: { assetGid: NATIVE, amountRaw: 1n, payer: BOB },
  transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw: 5n }],
});

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
  project = await world.addProject();
});
afterEach(() => world.stop());

/** Ten blocks, the last one alone not final; a payment to Alice is in the fourth. What is final is packed. */
async function followPacked(): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let number = 1; number <= 10; number += 1)
    blocks.push(world.chain.make(blocks.at(-1), number === 4 ? { transactions: [pay] } : {}));
  world.startAnalyzer();
  await world.feedBlocks(...blocks);
  await world.feedFinalize(blocks[8]!);
  await world.settle();
  expect(await world.pack()).toBe(9);
  return blocks;
}

const rowNumbers = async () =>
  (
    await world.rows<{ number: number }>('SELECT number FROM blocks WHERE status <> $1 ORDER BY number', [
      'reorged',
    ])
  ).map(({ number }) => number);
const canonical = () =>
  world.rows<{ number: number; hash: string; status: string }>(
    'SELECT number, hash, status FROM canonical_blocks($1, 0, 10000)',
    [world.gid],
  );
const records = () => world.rows('SELECT hash, status, block_number, block_hash FROM transactions');
const found = (blocks: readonly Block[]) => [
  { hash: pay.hash, status: 'confirmed', block_number: 4, block_hash: blocks[3]!.hash },
];

describe('an analyzer of a chain with packed blocks', () => {
  it('finds the history of an address in them', async () => {
    const blocks = await followPacked();
    const before = await canonical();
    await world.db.transaction(async (sql) => {
      const added = await world.watch(project, ALICE, sql);
      await world.askForHistory(added, 1, sql);
    });
    await waitFor(async () => (await records()).length === 1);
    expect(await records()).toEqual(found(blocks));
    expect(await rowNumbers()).toEqual([4, 10]);
    expect(await canonical()).toEqual(before);
    expect(await world.pack()).toBe(0);
  });

  it('finds in them what addresses did that are registered from a height on', async () => {
    const blocks = await followPacked();
    const { id } = await world.watch(project, ALICE);
    await world.stopAnalyzer();
    await world.db.query('UPDATE address_watches SET from_block = 2, feed_seq = 2 WHERE address_id = $1', [
      id,
    ]);
    await world.db.query('UPDATE addresses SET watch_xid = pg_current_xact_id() WHERE id = $1', [id]);
    world.startAnalyzer();
    await world.feedBlocks(world.chain.make(blocks.at(-1)));
    await waitFor(async () => (await records()).length === 1);
    expect(await records()).toEqual(found(blocks));
    expect(await rowNumbers()).toEqual([4, 10, 11]);
  });

  it('processes them again', async () => {
    const blocks = await followPacked();
    await world.watch(project, ALICE);
    const before = await canonical();
    await requestReprocess(world, 1, 9);
    await waitFor(
      async () => (await world.rows(`SELECT FROM reprocesses WHERE status = 'running'`)).length === 0,
    );
    expect(await canonical()).toEqual(before);
    expect(await world.pack()).toBe(9 - (await records()).length);
    expect(blocks).toHaveLength(10);
  });

  it('recovers from a reorg into them', async () => {
    const blocks = await followPacked();
    await world.watch(project, ALICE);
    const orphans = blocks.slice(5).toReversed();
    const branch: Block[] = [];
    for (let number = 6; number <= 12; number += 1)
      branch.push(
        world.chain.make(branch.at(-1) ?? blocks[4], number === 7 ? { transactions: [pay] } : {}, 'other'),
      );
    await world.feedReorg(orphans, world.seq + orphans.length + branch.length);
    await world.feedBlocks(...branch);
    await world.feedFinalize(branch[3]!);
    await world.settle();
    expect((await canonical()).map(({ hash }) => hash)).toEqual(
      [...blocks.slice(0, 5), ...branch].map(({ hash }) => hash),
    );
    expect(await world.rows(`SELECT number FROM blocks WHERE status = 'reorged' ORDER BY number`)).toEqual(
      [6, 7, 8, 9, 10].map((number) => ({ number })),
    );
  });

  it('packs what an older release wrote, behind the head, and goes on', async () => {
    await world.db.query(
      `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status)
       SELECT $1, n, hash[n + 2], hash[n + 1], to_timestamp(1700000000 + n), 'confirmed'
       FROM (SELECT array_agg('0x' || encode(sha256(int8send(n)), 'hex') ORDER BY n) AS hash FROM generate_series(-1, 3999) AS n) h, generate_series(0, 3999) AS n`,
      [world.gid],
    );
    const { rows } = await world.db.query<{ hash: string }>('SELECT hash FROM blocks WHERE number = 3999');
    await world.db.query(
      `INSERT INTO analyzer_states (chain_gid, cursor_seq, cursor_number, cursor_hash, confirmed_number) VALUES ($1, 0, 3999, $2, 3999)`,
      [world.gid, rows[0]!.hash],
    );
    const before = await canonicalHashes();
    world.startAnalyzer();
    await waitFor(async () => (await world.rows('SELECT FROM block_runs')).length === 2, {
      timeoutMs: 20_000,
    });
    const block = world.chain.make({ number: 3_999, hash: rows[0]!.hash });
    await world.feedBlocks(block);
    await world.settle();
    expect(await canonicalHashes()).toEqual([...before, block.hash]);
    // The run of heights below 1,024 under the last final one, and no other.
    expect((await world.rows('SELECT FROM blocks WHERE number < 2048')).length).toBe(0);
    expect((await world.rows('SELECT FROM blocks')).length).toBe(4_001 - 2_048);
  });
});

async function canonicalHashes(): Promise<string[]> {
  return (await canonical()).map(({ hash }) => hash);
}
