// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';
import { askForPage } from './watch/read-balances-again.ts';

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
const pay = (name: string) =>
  makeTransaction(name, {
    from: BOB,
    to: ALICE,
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: BOB, to: ALICE, amountRaw: 1n }],
  });
const skip = (from: number, to: number) =>
  world.db.query('INSERT INTO skips (chain_gid, from_block, to_block) VALUES ($1, $2, $3)', [
    network.gid,
    from,
    to,
  ]);
const readBlocks = () =>
  world.rows<{ number: number; status: string; verification: string | null }>(
    'SELECT number::int, status, verification FROM blocks ORDER BY number',
  );
const readAsked = async () =>
  (
    await world.rows<{ address_id: string }>(
      "SELECT address_id FROM balance_reads WHERE reason = 'imported' AND asset_gid IS NULL AND address_id IS NOT NULL",
    )
  ).map((row) => row.address_id);
const readIncidents = () =>
  world.rows(
    'SELECT kind, status, block_number::int AS first, last_block_number::int AS last, got FROM incidents',
  );

it('waits at a block that no node has, and goes on where the operator allowed it, saying which', async () => {
  const projectId = await world.addProject();
  const alice = await world.watch(projectId, ALICE);
  const one = world.chain.make(undefined, { transactions: [pay('1')] });
  const two = world.chain.make(one, { transactions: [pay('2')] });
  const three = world.chain.make(two, { transactions: [pay('3')] });
  const four = world.chain.make(three, { transactions: [pay('4')] });
  const five = world.chain.make(four);
  for (const { hash } of [two, four]) world.chain.missing.add(hash);
  world.startAnalyzer();
  await world.feedBlocks(one, two, three, four, five);
  await world.feedFinalize(five);
  await waitFor(async () => (await readBlocks())[0]?.status !== 'new');
  await world.db.query('DELETE FROM balance_reads');
  // A range that does not hold the block changes nothing.
  await skip(3, 3);
  await delay(1_000);
  expect((await readBlocks()).map(({ status }) => status)).toEqual(['processed', 'new', 'new', 'new', 'new']);
  expect(await readIncidents()).toEqual([]);

  await skip(2, 4);
  await world.settle();
  // A body that a node has is processed, whatever was allowed.
  expect(await readBlocks()).toEqual([
    { number: 1, status: 'confirmed', verification: 'proved' },
    { number: 2, status: 'new', verification: null },
    { number: 3, status: 'confirmed', verification: 'proved' },
    { number: 4, status: 'new', verification: null },
    { number: 5, status: 'confirmed', verification: 'proved' },
  ]);
  const hashes = (await world.events()).map(({ type, payload }) => [
    type,
    JSON.parse(payload).data.transaction.hash as string,
  ]);
  const [first, third] = [one.transactions[0]!.hash, three.transactions[0]!.hash];
  expect(hashes.toSorted()).toEqual(
    [
      ['transaction.detected', first],
      ['transaction.detected', third],
      ['transaction.confirmed', first],
      ['transaction.confirmed', third],
    ].toSorted(),
  );
  expect(await readIncidents()).toEqual([
    {
      kind: 'skipped:2-4',
      status: 'open',
      first: 2,
      last: 4,
      got: 'a block that no node has, skipped by the operator',
    },
  ]);
  // What the blocks did to balances is read from the chain.
  await waitFor(async () => (await readAsked()).includes(alice.id));
});

it('asks for the balances of many addresses in pages, each once, and goes on with the next page after a crash', async () => {
  const projectId = await world.addProject();
  await world.db.query(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format)
     SELECT $1, CASE WHEN n % 4 = 0 THEN 'solana' ELSE 'evm' END, 'a' || n, 'a' || n, 'external', 'evm' FROM generate_series(1, 1000) AS n`,
    [projectId],
  );
  await world.db.query(`UPDATE addresses SET is_monitored = false WHERE address LIKE '%1'`);
  const watched = await world.rows<{ id: string }>(
    "SELECT id FROM addresses WHERE chain_family = 'evm' AND is_monitored ORDER BY id",
  );
  expect(watched.length).toBeGreaterThan(500);
  const one = world.chain.make(undefined);
  world.chain.missing.add(one.hash);
  await skip(1, 1);
  world.startAnalyzer();
  await world.feedBlocks(one);
  await waitFor(async () => (await readAsked()).length === watched.length);
  await world.settle();
  await world.stopAnalyzer();

  // The step is committed, and nothing is asked for yet; some were asked for before the block, some after it.
  await world.db.query('DELETE FROM balance_reads');
  const [before, after] = [watched[3]!.id, watched[400]!.id];
  const ask = (id: string, at: string) =>
    world.db.query(
      `INSERT INTO balance_reads (chain_gid, address_id, reason, created_at) VALUES ($1, $2, 'imported', ${at})`,
      [network.gid, id],
    );
  await ask(before, "now() - interval '1 minute'");
  await world.db.query(
    "UPDATE skips SET reread_after = '00000000-0000-0000-0000-000000000000', reread_asked_at = now()",
  );
  await ask(after, 'now()');
  const pages: number[] = [];
  for (let page = 0; page < 4; page += 1) {
    const known = (await readAsked()).length;
    expect(await askForPage(world.db, network, 100)).toBe(true);
    pages.push((await readAsked()).length - known);
  }
  expect(Math.max(...pages)).toBeLessThanOrEqual(100);
  // A transaction that is lost leaves the page to the next one.
  await expect(
    world.db.transaction(async (sql) => {
      await askForPage(sql, network, 100);
      throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  world.startAnalyzer();
  await waitFor(
    async () => (await world.rows('SELECT FROM skips WHERE reread_after IS NOT NULL')).length === 0,
  );
  expect((await readAsked()).toSorted()).toEqual([...watched.map(({ id }) => id), before].toSorted());
  expect(await askForPage(world.db, network, 100)).toBe(false);
});

it('reports nothing of an orphan, and nothing twice after a crash', async () => {
  await world.addProject();
  const one = world.chain.make(undefined);
  const orphan = world.chain.make(one, { transactions: [pay('gone')] });
  const two = world.chain.make(one, { transactions: [] });
  const three = world.chain.make(two);
  for (const { hash } of [orphan, three]) world.chain.missing.add(hash);
  await skip(2, 3);
  await world.feedBlocks(one, orphan);
  await world.feedReorg([orphan]);
  await world.feedBlocks(two, three);
  world.startAnalyzer();
  await world.settle();
  await world.stopAnalyzer();
  world.startAnalyzer();
  await world.settle();
  expect(await readIncidents()).toMatchObject([{ kind: 'skipped:2-3', first: 3, last: 3 }]);
  // A later orphan of a skipped block is one like all others.
  await world.feedReorg([three]);
  await world.settle();
  expect((await readBlocks()).map(({ status }) => status)).toEqual([
    'processed',
    'reorged',
    'processed',
    'reorged',
  ]);
});
