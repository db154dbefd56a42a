// SPDX-License-Identifier: Apache-2.0
import type { TokenMetadata } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { network, TOKEN } from '@chainwatch/data/testing';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// Tokens that are no amounts, and amounts that wallets show otherwise.

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

const ALICE = `0x${'a'.repeat(40)}`;
const BOB = `0x${'b'.repeat(40)}`;
const KITTIES: TokenMetadata = { name: 'Kitties', symbol: 'CK', decimals: undefined, isNft: true };
const give = (name: string, id: bigint) =>
  makeTransaction(name, {
    from: BOB,
    transfers: [
      { index: 0, type: 'token', assetGid: TOKEN, from: BOB, to: ALICE, amountRaw: id, logIndex: 0 },
    ],
  });
const told = async () =>
  (await world.events()).map((event) => {
    const { data } = EVENT_SCHEMAS[event.type as 'transaction.detected'].parse(JSON.parse(event.payload));
    const [{ type, amount, amount_raw, decimals }] = data.transaction.transfers as [
      (typeof data.transaction.transfers)[number],
    ];
    return [
      event.type,
      { type, amount, amount_raw, decimals },
      data.balance_changes.map(({ delta_raw }) => delta_raw),
    ];
  });
const nft = { type: 'nft', amount: null, amount_raw: '0', decimals: null };
const readAsset = async () =>
  (
    await world.rows<{ type: string }>('SELECT type, decimals, ui_multiplier FROM assets WHERE gid = $1', [
      TOKEN,
    ])
  )[0];

it('tells a token of a collection without an amount, and no balance changes by its id', async () => {
  await world.watch(project, ALICE);
  world.chain.tokens.set(TOKEN, KITTIES);
  world.startAnalyzer();
  const one = world.chain.make(undefined, { transactions: [give('1', 777_777n)] });
  await world.feedBlocks(one);
  await world.feedFinalize(one);
  await world.settle();
  expect(await told()).toEqual([
    ['transaction.detected', nft, []],
    ['transaction.confirmed', nft, []],
  ]);
  // The id of a token that moved is what a collection from before the standard is recognized by.
  expect(world.chain.movedAsked.get(TOKEN)).toBe(777_777n);
  expect(await readAsset()).toMatchObject({ type: 'nft', decimals: null });
  expect(await world.rows('SELECT type, status FROM project_assets')).toEqual([
    { type: 'nft', status: 'active' },
  ]);
  // No amount is large enough for a filter.
  expect(await world.rows('SELECT amount_max FROM transactions')).toEqual([{ amount_max: null }]);
});

it('tells it as an amount that nobody knows while no node says what it is, and without one from then on', async () => {
  await world.watch(project, ALICE);
  const { client } = world.chain;
  let isDown = true;
  world.chain.client = () => {
    const real = client.call(world.chain);
    return Object.assign(real, {
      readTokens: async (gids: readonly string[]) => {
        await Promise.resolve();
        if (isDown) throw new Error('the node is down');
        return gids.map(() => KITTIES);
      },
    });
  };
  world.startAnalyzer();
  const one = world.chain.make(undefined, { transactions: [give('1', 5n)] });
  await world.feedBlocks(one);
  await world.settle();
  expect((await told())[0]).toEqual([
    'transaction.detected',
    { type: 'token', amount: null, amount_raw: '5', decimals: null },
    ['5'],
  ]);
  isDown = false;
  await waitFor(async () => {
    await world.db.query(`UPDATE assets SET next_attempt_at = now() WHERE gid = $1 AND status = 'unknown'`, [
      TOKEN,
    ]);
    return (await readAsset())?.type === 'nft';
  });
  await world.feedFinalize(one);
  await world.settle();
  expect((await told())[1]).toEqual(['transaction.confirmed', nft, []]);
});

it('takes what was fungible for a collection once the chain says so', async () => {
  await world.watch(project, ALICE);
  world.chain.tokens.set(TOKEN, { name: 'Kitties', symbol: 'CK', decimals: 0 });
  world.startAnalyzer();
  const one = world.chain.make(undefined, { transactions: [give('1', 5n)] });
  await world.feedBlocks(one);
  await world.settle();
  expect(await readAsset()).toMatchObject({ type: 'fungible', decimals: 0 });
  world.chain.tokens.set(TOKEN, KITTIES);
  await world.db.query('UPDATE assets SET is_reread_due = true, next_attempt_at = now() WHERE gid = $1', [
    TOKEN,
  ]);
  await waitFor(async () => (await readAsset())?.type === 'nft');
  expect(await world.rows('SELECT type FROM project_assets')).toEqual([{ type: 'nft' }]);
  expect(await world.rows('SELECT amount_max FROM transactions')).toEqual([{ amount_max: null }]);
  await world.feedFinalize(one);
  await world.settle();
  expect((await told()).at(-1)).toEqual(['transaction.confirmed', nft, []]);
});

it('keeps what wallets multiply amounts with, and reads it again', async () => {
  await world.watch(project, ALICE);
  const shares: TokenMetadata = { name: 'Shares', symbol: 'SH', decimals: 6 };
  const scaled = (value: string): TokenMetadata => ({ ...shares, uiMultiplier: { type: 'scaled', value } });
  world.chain.tokens.set(TOKEN, scaled('1.5'));
  world.startAnalyzer();
  await world.feedBlocks(world.chain.make(undefined, { transactions: [give('1', 5n)] }));
  await world.settle();
  expect(await readAsset()).toEqual({
    type: 'fungible',
    decimals: 6,
    ui_multiplier: { type: 'scaled', value: '1.5' },
  });
  // The amounts that are told are the token's own.
  expect((await told())[0]![1]).toEqual({ type: 'token', amount: '0.000005', amount_raw: '5', decimals: 6 });
  const age = () =>
    world.db.query(`UPDATE assets SET ui_read_at = now() - interval '1 minute' WHERE gid = $1`, [TOKEN]);
  world.chain.tokens.set(TOKEN, scaled('3'));
  await age();
  await waitFor(async () => JSON.stringify(await readAsset()).includes('"3"'));
  // It is asked about for ever: what is gone may come back.
  world.chain.tokens.set(TOKEN, shares);
  await age();
  await waitFor(async () => JSON.stringify(await readAsset()).includes('"ui_multiplier":null'));
  world.chain.tokens.set(TOKEN, scaled('2'));
  await age();
  await waitFor(async () => JSON.stringify(await readAsset()).includes('"2"'));
  expect(
    await world.rows('SELECT 1 FROM assets WHERE gid = $1 AND chain_gid = $2', [TOKEN, network.gid]),
  ).toHaveLength(1);
});
