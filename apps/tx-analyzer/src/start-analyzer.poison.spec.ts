// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE, network } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const PAYER = '0xcccccccccccccccccccccccccccccccccccccccc';
/** One digit more than a column holds. */
const TOO_LARGE = 10n ** 78n;

let postgres: PostgresHandle;
let world: SpecWorld;
let own: string;
let other: string;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
  own = await world.addProject();
  other = await world.addProject();
  await world.watch(own, ALICE);
  await world.watch(other, BOB);
});
afterEach(() => world.stop());

const pay = (name: string, to: string, amountRaw = 5n): Transaction =>
  makeTransaction(name, {
    from: PAYER,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: PAYER },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: PAYER, to, amountRaw }],
  });
/** Code of ours fails when it looks at it. */
const makeTrap = (transaction: Transaction): unknown =>
  Object.defineProperty(transaction, 'transfers', {
    get: () => {
      throw new TypeError('expected an array, got a trap');
    },
  });

const listIncidents = (): Promise<unknown[]> =>
  world.rows(
    'SELECT kind, status, subject_type, subject_id, project_id, block_number FROM incidents ORDER BY created_at, block_number',
  );
const told = async (projectId: string): Promise<string[]> =>
  (await world.events()).filter((event) => event.project_id === projectId).map(({ type }) => type);

it('sets a transaction aside that cannot be stored, names it to its project, and tells the others', async () => {
  const poison = pay('1', ALICE, TOO_LARGE);
  const one = world.chain.make(undefined, { transactions: [pay('0', BOB), poison, pay('2', ALICE)] });
  const two = world.chain.make(one, { transactions: [pay('3', BOB), pay('4', ALICE)] });
  world.startAnalyzer();
  await world.feedBlocks(one, two);
  await world.feedFinalize(two);
  await world.settle();
  expect([(await told(own)).sort(), (await told(other)).sort()]).toEqual([
    ['transaction.confirmed', 'transaction.confirmed', 'transaction.detected', 'transaction.detected'],
    ['transaction.confirmed', 'transaction.confirmed', 'transaction.detected', 'transaction.detected'],
  ]);
  expect(await listIncidents()).toEqual([
    {
      kind: 'poison:analysis',
      status: 'quarantined',
      subject_type: 'transaction',
      subject_id: poison.hash,
      project_id: own,
      block_number: 1,
    },
  ]);
});

it('tells one project of a transaction that is poison for the other only', async () => {
  // Only its own legs are a project's.
  const both = makeTransaction('1', {
    from: PAYER,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: PAYER },
    transfers: [
      { index: 0, type: 'native', assetGid: NATIVE, from: PAYER, to: ALICE, amountRaw: TOO_LARGE },
      { index: 1, type: 'internal', assetGid: NATIVE, from: PAYER, to: BOB, amountRaw: 5n },
    ],
  });
  world.startAnalyzer();
  await world.feedBlocks(world.chain.make(undefined, { transactions: [both] }));
  await world.settle();
  expect(await told(other)).toEqual(['transaction.detected']);
  expect(await told(own)).toEqual([]);
  expect(await listIncidents()).toMatchObject([{ project_id: own }]);
});

it('sets a transaction aside that cannot be looked at, for everybody', async () => {
  const poison = pay('1', ALICE);
  const one = world.chain.make(undefined, { transactions: [pay('0', BOB), poison, pay('2', ALICE)] });
  makeTrap(one.transactions[1]!);
  world.startAnalyzer();
  await world.feedBlocks(one);
  await world.settle();
  expect([await told(own), await told(other)]).toEqual([['transaction.detected'], ['transaction.detected']]);
  expect(await listIncidents()).toMatchObject([
    { subject_type: 'transaction', subject_id: poison.hash, project_id: null },
  ]);
});

it('tries it where a reorg puts it, and keeps one incident', async () => {
  const poison = pay('1', ALICE, TOO_LARGE);
  const root = world.chain.make(undefined);
  const old = world.chain.make(root, { transactions: [poison] });
  const replacement = world.chain.make(root, { transactions: [pay('5', BOB)] });
  const next = world.chain.make(replacement, { transactions: [poison] });
  world.startAnalyzer();
  await world.feedBlocks(root, old);
  await world.settle();
  await world.feedReorg([old]);
  await world.feedBlocks(replacement, next);
  await world.settle();
  expect(await told(other)).toEqual(['transaction.detected']);
  expect(await listIncidents()).toMatchObject([{ subject_id: poison.hash, block_number: 3 }]);
});

/** What the database refuses of `hash`, as long as the trigger is there. */
async function refuse(hash: string): Promise<void> {
  await world.db.query(
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.hash = '${hash}' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '22003'; END IF; RETURN NEW; END $$`,
  );
  await world.db.query(
    'CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON transactions FOR EACH ROW EXECUTE FUNCTION refuse()',
  );
}

describe('what is set aside', () => {
  const poison = pay('1', ALICE);
  let two: Block;
  beforeEach(async () => {
    await refuse(poison.hash);
    const one = world.chain.make(undefined, { transactions: [poison, pay('0', BOB)] });
    two = world.chain.make(one, { transactions: [pay('2', ALICE)] });
    world.startAnalyzer();
    await world.feedBlocks(one, two);
    await world.feedFinalize(two);
    await world.settle();
    expect(await listIncidents()).toMatchObject([{ status: 'quarantined', subject_id: poison.hash }]);
  });
  const isTold = (): Promise<boolean> =>
    waitFor(async () => (await world.rows(`SELECT FROM incidents WHERE status = 'resolved'`)).length === 1, {
      message: () => 'the incident to be resolved',
    });
  const expectAll = async (): Promise<void> => {
    expect((await told(own)).sort()).toEqual([
      'transaction.confirmed',
      'transaction.confirmed',
      'transaction.detected',
      'transaction.detected',
    ]);
    expect(await listIncidents()).toHaveLength(1);
  };

  it('is told once it is due and can be processed', async () => {
    await world.db.query('DROP TRIGGER refuse ON transactions');
    await world.db.query('UPDATE incidents SET retry_at = now()');
    await isTold();
    await expectAll();
  });

  it('is told by the release that can process it', async () => {
    await world.stopAnalyzer();
    await world.db.query('DROP TRIGGER refuse ON transactions');
    world.startAnalyzer();
    await isTold();
    await expectAll();
  });

  it('is told by reprocess, and does not hold it up while it cannot be processed', async () => {
    const ask = (): Promise<unknown> =>
      world.db.query(
        'INSERT INTO reprocesses (chain_gid, from_block, to_block, next_block) VALUES ($1, 1, 2, 1)',
        [network.gid],
      );
    const isDone = (count: number): Promise<boolean> =>
      waitFor(
        async () => (await world.rows(`SELECT FROM reprocesses WHERE status = 'done'`)).length === count,
      );
    const { id } = (await world.rows<{ id: string }>('SELECT id FROM incidents'))[0]!;
    await ask();
    await isDone(1);
    expect(await world.rows('SELECT id, status FROM incidents')).toEqual([{ id, status: 'quarantined' }]);
    await world.db.query('DROP TRIGGER refuse ON transactions');
    await ask();
    await isDone(2);
    await isTold();
    await expectAll();
  });

  it('undoes nothing that was told before', async () => {
    makeTrap(two.transactions[0]!);
    await world.db.query(
      'INSERT INTO reprocesses (chain_gid, from_block, to_block, next_block) VALUES ($1, 1, 2, 1)',
      [network.gid],
    );
    await waitFor(
      async () => (await world.rows(`SELECT FROM reprocesses WHERE status = 'done'`)).length === 1,
    );
    expect(await listIncidents()).toMatchObject([
      { project_id: own, subject_id: poison.hash },
      { project_id: null, subject_id: two.transactions[0]!.hash },
    ]);
    expect(await told(own)).not.toContain('transaction.reorged');
  });
});

it(`leaves ${network.gid} stalled, and nothing set aside, while it is nobody's fault`, async () => {
  await world.db.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'out of shared memory' USING ERRCODE = '53200'; END $$`,
  );
  await world.db.query(
    'CREATE TRIGGER refuse BEFORE INSERT ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse()',
  );
  world.startAnalyzer();
  await world.feedBlocks(world.chain.make(undefined, { transactions: [pay('0', BOB)] }));
  await waitFor(
    async () => (await world.rows(`SELECT FROM analyzer_states WHERE status = 'stalled'`)).length === 1,
  );
  expect(await listIncidents()).toEqual([]);
  await world.db.query('DROP TRIGGER refuse ON transfers');
  await world.settle();
  expect(await told(other)).toEqual(['transaction.detected']);
});
