import { setTimeout as delay } from 'node:timers/promises';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network } from '@chainwatch/testing-stack';
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
  expect(
    await world.rows(`SELECT address_id, asset_gid FROM balance_reads WHERE reason = 'imported'`),
  ).toContainEqual({ address_id: alice.id, asset_gid: null });
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
