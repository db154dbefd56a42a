// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const PAYER = '0xcccccccccccccccccccccccccccccccccccccccc';

let postgres: PostgresHandle;
let world: SpecWorld;
let own: string;
let other: string;
let one: Block;
let tip: Block;
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

const pay = (name: string, to: string): Transaction =>
  makeTransaction(name, {
    from: PAYER,
    fee: { assetGid: NATIVE, amountRaw: 1n, payer: PAYER },
    transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: PAYER, to, amountRaw: 5n }],
  });
const poison = pay('1', ALICE);

/** Hashes of the transactions whose events of the type are stored, in their order. */
async function told(type = 'transaction.confirmed'): Promise<string[]> {
  return (await world.events())
    .filter((event) => event.type === type)
    .map(({ payload }) => JSON.parse(payload).data.transaction.hash as string);
}
const incidents = () =>
  world.rows(
    'SELECT kind, status, subject_type, subject_id, project_id, block_number FROM incidents ORDER BY created_at',
  );
const named = (kind: string, status = 'quarantined') => ({
  ...{ kind, status, subject_type: 'transaction', subject_id: poison.hash, project_id: own },
  block_number: 1,
});

/** The database refuses events of the type and the transaction, as one whose payload is over a limit. */
async function refuse(type: string): Promise<void> {
  await world.db.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.type = '${type}' AND NEW.payload LIKE '%${poison.hash}%'
       THEN RAISE EXCEPTION 'refused' USING ERRCODE = '54000'; END IF; RETURN NEW; END $$`,
  );
  await world.db.query(
    'CREATE TRIGGER refuse BEFORE INSERT ON event_log FOR EACH ROW EXECUTE FUNCTION refuse()',
  );
}
const allow = (): Promise<unknown> => world.db.query('DROP TRIGGER refuse ON event_log');

async function mine(...transactions: readonly Transaction[]): Promise<void> {
  tip = world.chain.make(tip, { transactions });
  await world.feedBlocks(tip);
  await world.settle();
}

async function mineThem(): Promise<readonly string[]> {
  const others = [pay('0', BOB), pay('2', ALICE), pay('3', BOB)];
  one = world.chain.make(undefined, { transactions: [others[0]!, poison, others[1]!, others[2]!] });
  tip = one;
  world.startAnalyzer();
  await world.feedBlocks(one);
  await world.settle();
  return others.map(({ hash }) => hash);
}

describe('a transaction whose confirmation the database refuses', () => {
  let others: readonly string[];

  describe('by finality', () => {
    beforeEach(async () => {
      others = await mineThem();
      await refuse('transaction.confirmed');
      await world.feedFinalize(one);
      await world.settle();
    });

    it('is set aside and named to its project; the others are confirmed, and the chain goes on', async () => {
      expect(await told()).toEqual(others);
      expect(await incidents()).toEqual([named('poison:confirmation')]);
      expect(
        await world.rows('SELECT status, confirmed_at FROM transactions WHERE hash = $1', [poison.hash]),
      ).toEqual([{ status: 'detected', confirmed_at: null }]);
      const next = pay('4', ALICE);
      await mine(next);
      await world.feedFinalize(tip);
      await world.settle();
      expect(await told()).toEqual([...others, next.hash]);
      expect(await incidents()).toEqual([named('poison:confirmation')]);
    });

    it('is confirmed once it can be: on the next day, or after actions/reprocess', async () => {
      await allow();
      await world.db.query('UPDATE incidents SET retry_at = now()');
      await mine();
      await world.feedFinalize(tip);
      await world.settle();
      expect(await told()).toEqual([...others, poison.hash]);
      expect(await incidents()).toEqual([named('poison:confirmation', 'resolved')]);
    });

    it('is confirmed by the release that can', async () => {
      await world.stopAnalyzer();
      await allow();
      world.startAnalyzer();
      await waitFor(
        async () =>
          (await world.rows('SELECT FROM incidents WHERE retry_at <= clock_timestamp()')).length > 0,
        { message: 'it to be due' },
      );
      await mine();
      await world.feedFinalize(tip);
      await world.settle();
      expect(await told()).toEqual([...others, poison.hash]);
    });

    it('stays set aside, with the same incident, while it cannot be', async () => {
      await world.db.query('UPDATE incidents SET retry_at = now()');
      const next = pay('4', ALICE);
      await mine(next);
      await world.feedFinalize(tip);
      await world.settle();
      expect(await told()).toEqual([...others, next.hash]);
      expect(await incidents()).toEqual([named('poison:confirmation')]);
      expect(await world.rows('SELECT FROM incidents WHERE retry_at > now()')).toHaveLength(1);
    });
  });

  it('by depth is set aside too, and confirmed once it can be', async () => {
    for (const project of [own, other]) await world.choosePolicy(project, 2);
    others = await mineThem();
    await refuse('transaction.confirmed');
    await mine();
    await waitFor(async () => (await told()).length === 3, { message: 'the others to be confirmed' });
    expect(await told()).toEqual(others);
    expect(await incidents()).toEqual([named('poison:confirmation')]);
    await allow();
    await world.db.query('UPDATE incidents SET retry_at = now()');
    await mine();
    await waitFor(async () => (await told()).length === 4, { message: 'it to be confirmed' });
    expect(await incidents()).toEqual([named('poison:confirmation', 'resolved')]);
  });

  it('is tried anew where a reorg puts it', async () => {
    others = await mineThem();
    await mine();
    await refuse('transaction.confirmed');
    await world.feedFinalize(one);
    await world.settle();
    await allow();
    await world.feedReorg([tip, one]);
    const again = world.chain.make(undefined, { transactions: [poison] });
    await world.feedBlocks(again);
    await world.feedFinalize(again);
    await world.settle();
    expect((await told()).at(-1)).toBe(poison.hash);
    expect(await incidents()).toEqual([named('poison:confirmation', 'resolved')]);
  });
});

it('sets a transaction aside whose progress cannot be told, and tells that of the others', async () => {
  await world.db.query(
    `INSERT INTO notification_channels (project_id, kind, name, config)
     SELECT id, 'webhook', 'c', '{"url": "https://1.1.1.1/", "event_types": ["transaction.progress"]}' FROM unnest($1::uuid[]) AS p (id)`,
    [[own, other]],
  );
  const others = await mineThem();
  await refuse('transaction.progress');
  await mine();
  const progress = (): Promise<string[]> => told('transaction.progress');
  await waitFor(async () => (await progress()).length === 3, { message: 'the progress of the others' });
  expect((await progress()).sort()).toEqual([...others].sort());
  expect(await incidents()).toEqual([named('poison:progress')]);
  // It is confirmed all the same, and nothing more is set aside.
  await world.feedFinalize(one);
  await world.settle();
  expect(await told()).toContain(poison.hash);
  expect(await incidents()).toEqual([named('poison:progress', 'resolved')]);
});
