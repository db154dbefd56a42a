// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { makeScene, type SolanaScene } from '@chainwatch/tool-devnet/solana-scene';
import { SpecProxy, type ChangeAnswer } from './spec-world/spec-proxy.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// History from blocks in the shape of before the end of 2021: those of a real runtime, without what was not recorded then.

const network = findNetwork('solana:localnet')!;

interface Meta {
  readonly preTokenBalances: readonly { readonly owner: string }[] | null;
  readonly postTokenBalances: readonly { readonly owner: string }[] | null;
}
type Strip = (balances: Meta['preTokenBalances']) => unknown;
interface Told {
  readonly meta: Meta;
}

/** 2020-09-13. Newer blocks without token balances are of a node that leaves them out. */
const blockTime = 1_600_000_000;

/** Blocks and transactions as if they were recorded so long ago. */
const recorded =
  (strip: Strip): ChangeAnswer =>
  ({ method }, result) => {
    const age = (one: Told): object => ({
      ...one,
      meta: {
        ...one.meta,
        preTokenBalances: strip(one.meta.preTokenBalances),
        postTokenBalances: strip(one.meta.postTokenBalances),
      },
    });
    if (method === 'getTransaction') return result === null ? null : { ...age(result as Told), blockTime };
    const { transactions } = (result ?? {}) as { transactions?: readonly Told[] };
    return method === 'getBlock' && transactions?.[0]?.meta !== undefined
      ? { ...(result as object), blockTime, transactions: transactions.map(age) }
      : result;
  };
const withoutOwners: Strip = (balances) => balances?.map(({ owner: _, ...rest }) => rest);

let postgres: PostgresHandle;
let scene: SolanaScene;
let family: ChainFamily;
let node: SpecProxy;
let head: Block;
/** Of the payment of tokens by Alice. */
let paid: number;
let world: SpecWorld;
let project: string;

beforeAll(async () => {
  [postgres, scene] = await Promise.all([SpecWorld.postgres(), makeScene()]);
  family = (await findFamily('solana'))!;
  paid = await scene.payTokens();
  await scene.node.produce(40);
  node = await SpecProxy.start(scene.node.url);
  const client = connect();
  head = await client.readBlock((await client.findFinalized())!);
  client.close();
}, 120_000);
afterAll(() => Promise.all([node.stop(), scene.node.stop(), postgres.stop()]));
beforeEach(async () => {
  node.reset();
  world = await SpecWorld.start(postgres, { of: { network }, pollMs: 100 });
  project = await world.addProject();
  world.chain.client = connect;
  await world.db.query('UPDATE ingestor_states SET start_number = $1', [head.number]);
  world.startAnalyzer();
  await world.feedBlocks(head);
  await world.feedFinalize(head);
  await world.settle();
});
afterEach(() => world.stop());

const connect = () =>
  createFailoverClient([family.createClient({ network, endpointUrl: node.url })], { cooldownMs: 0 });

const jobs = () => world.rows('SELECT status, not_covered FROM address_histories');
const untilComplete = () =>
  waitFor(
    async () => (await world.rows("SELECT FROM address_histories WHERE status <> 'complete'")).length === 0,
    {
      message: 'the history to be complete',
    },
  );
/** What moved tokens of Alice, as `<slot> <from> <to> <amount>`, her name for her address. */
const tokens = async () =>
  (
    await world.rows<{ line: string }>(
      `SELECT concat_ws(' ', t.block_number, coalesce(f.from_address, '-'), coalesce(f.to_address, '-'), f.amount_raw) AS line
       FROM transfers f JOIN transactions t ON t.id = f.transaction_id WHERE f.type = 'token' ORDER BY t.block_number`,
    )
  ).map(({ line }) => line.replace(scene.alice, 'alice').replace(/ [1-9A-HJ-NP-Za-km-z]{32,44} /, ' other '));

it('finds all of it in blocks that record token balances and their owners', async () => {
  const alice = await world.watch(project, scene.alice);
  await world.askForHistory(alice, 1);
  await untilComplete();
  expect(await jobs()).toEqual([{ status: 'complete', not_covered: [] }]);
  const [minted, sent] = await tokens();
  expect(minted).toBe(`${scene.slots.full} - alice 33`);
  expect(sent).toMatch(new RegExp(`^${paid} alice \\S+ 3$`));
});

it.each([
  ['without token balances', () => null],
  ['with empty lists of them', () => []],
  ['without their owners', withoutOwners],
] as const)(
  'of blocks %s tells what is certain, names where it is not, and is whole once another node tells it',
  async (_what, strip) => {
    node.change = recorded(strip);
    const alice = await world.watch(project, scene.alice);
    await world.askForHistory(alice, 1);
    await untilComplete();
    // The account that a transaction creates for her is hers; whether she or a delegate of somebody paid, nobody says.
    expect(await tokens()).toEqual([`${scene.slots.full} - alice 33`]);
    expect(await jobs()).toEqual([
      { status: 'complete', not_covered: [{ from_block: paid, to_block: paid }] },
    ]);
    // Native coins are told as ever.
    const natives =
      "SELECT DISTINCT t.block_number FROM transactions t JOIN transfers f ON f.transaction_id = t.id WHERE f.type = 'native'";
    expect((await world.rows(natives)).length).toBeGreaterThan(0);
    node.reset();
    await world.askForHistory(alice, 1);
    await untilComplete();
    expect(await jobs()).toEqual([{ status: 'complete', not_covered: [] }]);
    expect(await tokens()).toHaveLength(2);
  },
);

it('names no block for somebody whom its transactions do not name', async () => {
  node.change = recorded(() => null);
  const erin = await world.watch(project, scene.erin);
  await world.askForHistory(erin, 1);
  await untilComplete();
  expect(await jobs()).toEqual([{ status: 'complete', not_covered: [] }]);
});
