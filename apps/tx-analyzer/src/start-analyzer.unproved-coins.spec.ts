// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import type { Block, UnknownPart } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import { accept, makeBlind, partOf, passLimit, reprocess, transactions } from './spec-world/spec-unknown.ts';
import { codec, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
/** What the decoders of this release do not know, by block hash. */
let parts: Map<string, readonly UnknownPart[]>;

const KIND = 'witness-version:2';
const FOREIGN = { txid: hashOf('foreign'), vout: 0 };
const paid = makeUtxoTransaction('paid', [FOREIGN], [['alice', 5n]]);
const spend = makeUtxoTransaction('spend', [{ txid: paid.hash, vout: 0 }], [['bob', 3n]]);

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, {
    of: { network: utxoNetwork, utxo: codec },
    unknownWaitMs: 43_200_000,
    pollMs: 100,
  });
  const project = await world.addProject();
  await world.watch(project, 'alice');
  await world.watch(project, 'bob');
  parts = new Map();
});
afterEach(() => world.stop());

/** A block in which the first transaction is of a kind that nobody knows. */
function makeUnknown(parent: Block | undefined, block: Parameters<SpecWorld['chain']['make']>[1]): Block {
  const made = world.chain.make(parent, block);
  parts.set(made.hash, [partOf(KIND, made.transactions[0]!.hash)]);
  return made;
}
/** Takes the blocks without waiting for a release that knows the kind. */
async function take(...blocks: readonly Block[]): Promise<void> {
  world.startAnalyzer();
  await world.feedBlocks(...blocks);
  await waitFor(async () => (await world.rows(`SELECT FROM incidents WHERE status = 'open'`)).length > 0);
  await passLimit(world);
  await world.settle();
}
/** `name amount`, and who spends it. */
const coins = async () =>
  (
    await world.rows<{ address: string; amount_raw: string; spent_by: string | null }>(
      'SELECT address, amount_raw, spent_by FROM utxos ORDER BY block_number, txid, vout',
    )
  ).map(
    ({ address, amount_raw: amount, spent_by: by }) => `${address} ${amount}${by === null ? '' : ' spent'}`,
  );
const waiting = async () =>
  (
    await world.rows<{ coins: number; spends: number }>(
      'SELECT (SELECT count(*) FROM unproved_coins)::int AS coins, (SELECT count(*) FROM unproved_spends)::int AS spends',
    )
  )[0];
const areCoins = (...expected: readonly string[]) =>
  waitFor(async () => (await coins()).join() === expected.join(), {
    message: `the coins ${expected.join()}`,
  });

describe('a coin of a transaction that one node alone tells of', () => {
  it('does not count, and neither does what spends it, until the operator accepts', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = world.chain.make(one, { transactions: [spend] });
    await take(one, two);
    await world.feedFinalize(two);
    await world.settle();
    expect(await coins()).toEqual([]);
    expect(await waiting()).toEqual({ coins: 2, spends: 1 });
    // The payment goes on as it is: the sender is told, nobody's balance moves, nothing is confirmed.
    expect(await transactions(world)).toMatchObject([
      { hash: paid.hash, status: 'detected', is_withheld: true },
      { hash: spend.hash, status: 'detected', is_withheld: true },
    ]);
    await world.db.query('DELETE FROM balance_reads');
    await accept(world);
    await areCoins('alice 5 spent', 'bob 3');
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
    const reads = await world.rows(
      'SELECT DISTINCT a.address FROM balance_reads r JOIN addresses a ON a.id = r.address_id ORDER BY 1',
    );
    expect(reads).toEqual([{ address: 'alice' }, { address: 'bob' }]);
    await waitFor(async () => (await transactions(world)).every(({ status }) => status === 'confirmed'));
  });

  it('counts with what spends it when the operator delivers what cannot be proved', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = world.chain.make(one, { transactions: [spend] });
    await world.db.query(`UPDATE blockchains SET unproved = 'deliver' WHERE gid = $1`, [world.gid]);
    await take(one, two);
    expect(await coins()).toEqual([]);
    await world.feedFinalize(two);
    await areCoins('alice 5 spent', 'bob 3');
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
    expect(
      await world.rows('SELECT DISTINCT status, verification FROM transactions WHERE NOT is_withheld'),
    ).toMatchObject([{ verification: 'trusted' }]);
  });

  it('counts when another node tells the same', async () => {
    world.chain.endpoints = [makeBlind('one', parts), makeBlind('two', parts)];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = world.chain.make(one, { transactions: [spend] });
    await take(one, two);
    await world.feedFinalize(two);
    await areCoins('alice 5 spent', 'bob 3');
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
  });

  it('never counts when the node lied, and the truth takes its place', async () => {
    const lie = makeUtxoTransaction('paid', [FOREIGN], [['alice', 500n]]);
    world.chain.endpoints = [
      makeBlind('liar', parts, (block) => ({
        ...block,
        transactions: [{ ...lie, verification: 'unproved' }],
      })),
      makeBlind('two', parts),
    ];
    const one = makeUnknown(undefined, { transactions: [paid] });
    await take(one);
    await world.feedFinalize(one);
    await waitFor(
      async () => (await world.rows('SELECT FROM incidents WHERE is_contradicted')).length === 1,
      { message: 'the contradiction' },
    );
    expect(await coins()).toEqual([]);
    await world.stopAnalyzer();
    world.chain.endpoints = [{ label: 'knows', tell: (block) => block }];
    world.startAnalyzer();
    await reprocess(world, 1, 1);
    expect(await coins()).toEqual(['alice 5']);
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
  });

  it('goes with its block, and leaves what it would have spent', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = world.chain.make(undefined, { transactions: [paid] });
    const two = makeUnknown(one, { transactions: [spend] });
    await take(one, two);
    expect(await coins()).toEqual(['alice 5']);
    expect(await waiting()).toEqual({ coins: 1, spends: 1 });
    await world.feedReorg([two]);
    await world.settle();
    expect(await coins()).toEqual(['alice 5']);
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
  });

  it('is proved with what spends it when a release knows the kind', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = world.chain.make(one, { transactions: [spend] });
    await take(one, two);
    await world.feedFinalize(two);
    await world.settle();
    await world.stopAnalyzer();
    world.chain.endpoints = [{ label: 'knows', tell: (block) => block }];
    world.startAnalyzer();
    await reprocess(world, 1, 2);
    expect(await coins()).toEqual(['alice 5 spent', 'bob 3']);
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
    expect(await transactions(world)).toMatchObject([
      { status: 'confirmed', is_unproved: false, is_withheld: false },
      { status: 'confirmed', is_unproved: false, is_withheld: false },
    ]);
  });
});

describe('blocks that are processed again', () => {
  it('take along those that spend what is proved now', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = world.chain.make(one);
    const three = world.chain.make(two, { transactions: [spend] });
    await take(one, two, three);
    await world.feedFinalize(three);
    await world.settle();
    await world.stopAnalyzer();
    world.chain.endpoints = [{ label: 'knows', tell: (block) => block }];
    world.startAnalyzer();
    await reprocess(world, 1, 1);
    await areCoins('alice 5 spent', 'bob 3');
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
    expect(await transactions(world)).toMatchObject([{ status: 'confirmed' }, { status: 'confirmed' }]);
    expect(await world.rows('SELECT to_block FROM reprocesses')).toEqual([{ to_block: 3 }]);
    expect(await world.rows(`SELECT FROM incidents WHERE status = 'open'`)).toEqual([]);
  });

  it('keep what spends an accepted lie, when the truth takes its place', async () => {
    const lie = makeUtxoTransaction('paid', [FOREIGN], [['alice', 500n]]);
    world.chain.endpoints = [
      makeBlind('liar', parts, (block) => ({
        ...block,
        transactions: [{ ...lie, verification: 'unproved' }],
      })),
    ];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = world.chain.make(one, { transactions: [spend] });
    await take(one);
    await world.feedFinalize(one);
    await world.settle();
    await accept(world);
    await areCoins('alice 500');
    await world.feedBlocks(two);
    await world.settle();
    await areCoins('alice 500 spent', 'bob 3');
    await world.stopAnalyzer();
    world.chain.endpoints = [{ label: 'knows', tell: (block) => block }];
    world.startAnalyzer();
    await reprocess(world, 1, 1);
    expect(await coins()).toEqual(['alice 5 spent', 'bob 3']);
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
  });
});

describe('a spend that one node alone tells of', () => {
  it('leaves the coin unspent until more stands behind it', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = world.chain.make(undefined, { transactions: [paid] });
    const two = makeUnknown(one, { transactions: [spend] });
    await take(one, two);
    await world.feedFinalize(two);
    await world.settle();
    expect(await coins()).toEqual(['alice 5']);
    await accept(world);
    await areCoins('alice 5 spent', 'bob 3');
  });

  it('takes no coin from the transaction that is proved to spend it, though the operator accepts', async () => {
    const stranger = makeUtxoTransaction('stranger', [FOREIGN], [['bob', 1n]]);
    const lie = makeUtxoTransaction('stranger', [{ txid: paid.hash, vout: 0 }], [['bob', 1n]]);
    world.chain.endpoints = [
      makeBlind('liar', parts, (block) => ({
        ...block,
        transactions: [{ ...lie, verification: 'unproved' }],
      })),
    ];
    const one = world.chain.make(undefined, { transactions: [paid] });
    const two = makeUnknown(one, { transactions: [stranger] });
    const three = world.chain.make(two, { transactions: [spend] });
    await take(one, two, three);
    await world.feedFinalize(three);
    await world.settle();
    await accept(world);
    await areCoins('alice 5 spent', 'bob 1', 'bob 3');
    expect(await world.rows('SELECT spent_by FROM utxos WHERE spent_by IS NOT NULL')).toEqual([
      { spent_by: spend.hash },
    ]);
    await world.stopAnalyzer();
    world.chain.endpoints = [{ label: 'knows', tell: (block) => block }];
    world.startAnalyzer();
    await reprocess(world, 2, 2);
    expect(await coins()).toEqual(['alice 5 spent', 'bob 1', 'bob 3']);
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
  });

  it('is applied once, whatever is processed again', async () => {
    world.chain.endpoints = [makeBlind('one', parts)];
    const one = makeUnknown(undefined, { transactions: [paid] });
    const two = makeUnknown(one, { transactions: [spend] });
    await take(one, two);
    await world.feedFinalize(two);
    await world.settle();
    await accept(world);
    await areCoins('alice 5 spent', 'bob 3');
    await reprocess(world, 1, 2);
    expect(await coins()).toEqual(['alice 5 spent', 'bob 3']);
    expect(await waiting()).toEqual({ coins: 0, spends: 0 });
  });
});

it('takes out what the release before counted', async () => {
  world.chain.endpoints = [makeBlind('one', parts)];
  const one = world.chain.make(undefined, { transactions: [paid] });
  const two = makeUnknown(one, { transactions: [spend] });
  await take(one, two);
  const before = await waiting();
  // As the release before wrote them.
  await world.db.query(
    `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash)
     SELECT chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash FROM unproved_coins`,
  );
  await world.db.query(
    `UPDATE utxos u SET spent_by = s.spent_by, spent_block_number = s.spent_block_number, spent_block_hash = s.spent_block_hash
     FROM unproved_spends s WHERE s.txid = u.txid AND s.vout = u.vout`,
  );
  await world.db.query('DELETE FROM unproved_coins');
  await world.db.query('DELETE FROM unproved_spends');
  expect(await coins()).toEqual(['alice 5 spent', 'bob 3']);
  const migration = await readFile('prisma/migrations/20261127020000_unproved_coins/migration.sql', 'utf8');
  const correction = migration.slice(migration.indexOf('CREATE TEMPORARY TABLE'));
  await world.db.transaction((sql) => sql.query(correction));
  expect(await coins()).toEqual(['alice 5']);
  expect(await waiting()).toEqual(before);
  await accept(world);
  await areCoins('alice 5 spent', 'bob 3');
});
