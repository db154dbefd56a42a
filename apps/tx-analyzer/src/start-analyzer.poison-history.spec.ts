// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld, type SpecWorldOptions } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const BOB = '0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
const CAROL = '0xcccccccccccccccccccccccccccccccccccccccc';
const TOO_LARGE = 10n ** 78n;

let postgres: PostgresHandle;
let world: SpecWorld;
let own: string;
let other: string;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
afterEach(() => world.stop());

async function start(options: SpecWorldOptions = {}): Promise<void> {
  world = await SpecWorld.start(postgres, options);
  own = await world.addProject();
  other = await world.addProject();
}

async function play(...contents: readonly (readonly Transaction[])[]): Promise<void> {
  const blocks: Block[] = [];
  for (const transactions of contents) blocks.push(world.chain.make(blocks.at(-1), { transactions }));
  world.startAnalyzer();
  await world.feedBlocks(...blocks);
  await world.feedFinalize(blocks.at(-1)!);
  await world.settle();
}

const incidents = (): Promise<{ kind: string; status: string; subject_id: string; project_id: string }[]> =>
  world.rows('SELECT kind, status, subject_id, project_id FROM incidents');
const countTold = async (projectId: string): Promise<number> =>
  new Set((await world.events()).filter((e) => e.project_id === projectId).map((e) => e.transaction_id)).size;
const statuses = (table: 'address_histories' | 'address_backfills') =>
  world.rows<{ status: string }>(
    `SELECT a.address, t.status FROM ${table} t JOIN addresses a ON a.id = t.address_id ORDER BY a.address`,
  );

it('sets the history of one address aside, and reads those of the others, also after a start', async () => {
  await start();
  const pay = (name: string, to: string, amountRaw = 5n): Transaction =>
    makeTransaction(name, {
      from: CAROL,
      fee: { assetGid: NATIVE, amountRaw: 1n, payer: CAROL },
      transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: CAROL, to, amountRaw }],
    });
  await play([pay('1', ALICE, TOO_LARGE), pay('2', BOB)], [pay('3', BOB), pay('4', ALICE)]);
  const alice = await world.db.transaction(async (sql) => {
    const added = await world.watch(own, ALICE, sql);
    await world.askForHistory(added, 1, sql);
    const bob = await world.watch(other, BOB, sql);
    await world.askForHistory(bob, 1, sql);
    return added;
  });
  await waitFor(
    async () =>
      (await incidents()).length === 1 && (await statuses('address_histories'))[1]?.status === 'complete',
  );
  expect(await incidents()).toEqual([
    { kind: 'poison:history', status: 'quarantined', subject_id: alice.id, project_id: own },
  ]);
  expect(await countTold(other)).toBe(2);
  // The release of tomorrow can store it.
  await world.stopAnalyzer();
  await world.db.query('ALTER TABLE transfers ALTER COLUMN amount_raw TYPE numeric');
  world.startAnalyzer();
  await waitFor(async () => (await statuses('address_histories'))[0]?.status === 'complete');
  expect(await incidents()).toMatchObject([{ status: 'resolved' }]);
  expect(await countTold(own)).toBe(2);
});

it('sets the search for the coins of one address aside, and finds those of the others', async () => {
  await start({ of: { network: utxoNetwork, utxo: codec } });
  const outside = (name: string) => ({ txid: name.padEnd(64, '0'), vout: 0 });
  await play(
    [
      makeUtxoTransaction('a', [outside('a')], [['alice', TOO_LARGE]]),
      makeUtxoTransaction('b', [outside('b')], [['bob', 7n]]),
    ],
    [makeUtxoTransaction('c', [outside('c')], [['carol', 1n]])],
  );
  const alice = await world.watch(own, 'alice');
  await world.watch(other, 'bob');
  await world.db.query(`UPDATE address_backfills SET status = 'pending', from_block = 1`);
  await waitFor(
    async () =>
      (await incidents()).length === 1 && (await statuses('address_backfills'))[1]?.status === 'complete',
  );
  expect(await incidents()).toEqual([
    { kind: 'poison:backfill', status: 'quarantined', subject_id: alice.id, project_id: own },
  ]);
  expect(await world.rows('SELECT address, amount_raw::text FROM utxos')).toEqual([
    { address: 'bob', amount_raw: '7' },
  ]);
});
