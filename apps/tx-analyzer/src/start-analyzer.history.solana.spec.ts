// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import { SpecProxy, type ChangeAnswer } from './spec-world/spec-proxy.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// Accounts of nobody: 32 bytes in base58.
const ALICE = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const BOB = '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR';
const network = findNetwork('solana:localnet')!;

type Entry = { readonly slot: number };

/** What a node makes of the signatures that it lists. */
const listing =
  (change: (entries: readonly Entry[]) => readonly Entry[]): ChangeAnswer =>
  ({ method }, result) =>
    method === 'getSignaturesForAddress' ? change(result as readonly Entry[]) : result;

let postgres: PostgresHandle;
let node: SolanaHandle;
let family: ChainFamily;
let world: SpecWorld;
let project: string;
let one: SpecProxy;
let two: SpecProxy;
/** With a payment to Alice. */
const paid: number[] = [];
let head: Block;

beforeAll(async () => {
  [postgres, node] = await Promise.all([SpecWorld.postgres(), startSolana()]);
  family = (await findFamily('solana'))!;
  const airdrop = async (to: string): Promise<number> => {
    await node.call('requestAirdrop', [to, 5_000_000]);
    return (await node.produce()).slot;
  };
  for (let payment = 0; payment < 2; payment += 1) {
    await airdrop(BOB);
    paid.push(await airdrop(ALICE));
    await airdrop(BOB);
  }
  await node.produce(40);
  [one, two] = await Promise.all([SpecProxy.start(node.url), SpecProxy.start(node.url)]);
  const client = connect([one]);
  head = await client.readBlock((await client.findFinalized())!);
  client.close();
}, 60_000);
afterAll(() => Promise.all([one.stop(), two.stop(), node.stop(), postgres.stop()]));
beforeEach(async () => {
  for (const endpoint of [one, two]) endpoint.reset();
  world = await SpecWorld.start(postgres, { of: { network }, pollMs: 100 });
  project = await world.addProject();
});
afterEach(() => world.stop());

const connect = (endpoints: readonly SpecProxy[]) =>
  createFailoverClient(
    endpoints.map(({ url }) => family.createClient({ network, endpointUrl: url })),
    { cooldownMs: 0 },
  );

/** Alice is watched from the head on, and her past is asked for. */
async function importAlice(...endpoints: readonly SpecProxy[]): Promise<void> {
  world.chain.client = () => connect(endpoints);
  await world.db.query('UPDATE ingestor_states SET start_number = $1', [head.number]);
  world.startAnalyzer();
  await world.feedBlocks(head);
  await world.feedFinalize(head);
  await world.settle();
  await world.db.transaction(async (sql) =>
    world.askForHistory(await world.watch(project, ALICE, sql), 1, sql),
  );
}

const job = async () =>
  (
    await world.rows<{ status: string; next_block: number; reason: string | null }>(
      'SELECT status, next_block, reason FROM address_histories',
    )
  )[0]!;
const untilComplete = () =>
  waitFor(async () => (await job()).status === 'complete', { message: 'the history to be complete' });
const found = async () =>
  (
    await world.rows<{ number: number }>(
      'SELECT block_number AS number FROM transactions ORDER BY block_number',
    )
  ).map(({ number }) => number);

it('finds what a whole index lists', async () => {
  await importAlice(one);
  await untilComplete();
  expect(await found()).toEqual(paid);
});

describe('an index of signatures that was pruned', () => {
  it.each([
    ['lists nothing', listing(() => [])],
    ['ends above a payment', listing((entries) => entries.filter(({ slot }) => slot > paid[0]!))],
  ])('makes no history complete where it %s, which says so', async (_what, change) => {
    one.change = change;
    await importAlice(one);
    await waitFor(async () => (await job()).reason !== null, { message: 'the reason' });
    expect(await job()).toMatchObject({
      status: expect.stringMatching(/running|failed/),
      next_block: 1,
      reason: expect.stringMatching(
        /index of signatures does not reach down to block 1: history needs a node/,
      ),
    });
    expect(await found()).toEqual([]);
    one.reset();
    await world.db.query('UPDATE address_histories SET due_at = now()');
    await untilComplete();
    expect(await found()).toEqual(paid);
  });

  it('is passed over for the one of another endpoint', async () => {
    one.change = listing(() => []);
    await importAlice(one, two);
    await untilComplete();
    expect(await found()).toEqual(paid);
  });
});

describe('an index of signatures with a hole', () => {
  const withHole = listing((entries) => entries.filter(({ slot }) => slot !== paid[1]));

  it('is filled by the one of another operator', async () => {
    one.change = withHole;
    await importAlice(one, two);
    await untilComplete();
    expect(await found()).toEqual(paid);
  });

  it('is used alone while the other one is away', async () => {
    two.isAway = true;
    await importAlice(one, two);
    await untilComplete();
    expect(await found()).toEqual(paid);
  });
});
