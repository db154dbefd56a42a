// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { CREDITS, DEBITS, HIDING, STRIPPED, type SolanaLie } from './spec-world/spec-solana-lies.ts';
import {
  findLies,
  isPlayed,
  makeDue,
  writeBeside,
  readTold,
  untilAsked,
  untilQuiet,
  type Told,
} from './spec-world/spec-lies.ts';
import { SpecProxy } from './spec-world/spec-proxy.ts';
import { makeScene, type SolanaScene } from '@chainwatch/tool-devnet/solana-scene';
import { incidents, reprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// Lies of Solana nodes through the real client and the real analyzer. An oracle saw the honest node alone.

const network = findNetwork('solana:localnet')!;
const LIES = [...CREDITS, ...DEBITS, ...HIDING, ...STRIPPED];

let postgres: PostgresHandle;
let scene: SolanaScene;
let family: ChainFamily;
let world: SpecWorld;
let invented: string;
let blocks: Block[];
/** What is told where all endpoints are honest: one, and two of different operators. */
let alone: Told;
let together: Told;
let one: SpecProxy;
let two: SpecProxy;
let three: SpecProxy;

beforeAll(async () => {
  [postgres, scene] = await Promise.all([SpecWorld.postgres(), makeScene()]);
  family = (await findFamily('solana'))!;
  invented = await scene.invent();
  [one, two, three] = (await Promise.all(
    Array.from({ length: 3 }, () => SpecProxy.start(scene.node.url)),
  )) as [SpecProxy, SpecProxy, SpecProxy];
  const client = connect([one]);
  blocks = await Promise.all(
    [scene.slots.earlier, scene.slots.full, scene.slots.empty].map(async (slot) =>
      client.readBlock((await client.findHeaderByNumber(slot))!),
    ),
  );
  client.close();
  alone = await tellTruth(one);
  together = await tellTruth(one, two);
}, 120_000);
afterAll(() => Promise.all([one.stop(), two.stop(), three.stop(), scene.node.stop(), postgres.stop()]));
beforeEach(startWorld);
afterEach(() => world.stop());

async function startWorld(): Promise<void> {
  for (const endpoint of [one, two, three]) endpoint.reset();
  // Waits are longer than any spec: only an answer or the spec ends them.
  world = await SpecWorld.start(postgres, {
    of: { network },
    pollMs: 100,
    unknownWaitMs: 43_200_000,
    attestWaitMs: 3_600_000,
    metadataTimeoutMs: 30_000,
  });
  const project = await world.addProject();
  await world.watch(project, scene.alice);
  await world.watch(project, scene.erin);
}

async function tellTruth(...endpoints: readonly SpecProxy[]): Promise<Told> {
  await startWorld();
  await start(...endpoints);
  await feed();
  await world.settle();
  await untilConfirmed();
  const told = await readTold(world);
  await world.stop();
  return told;
}

const connect = (endpoints: readonly SpecProxy[]) =>
  createFailoverClient(
    endpoints.map(({ url }) => family.createClient({ network, endpointUrl: url })),
    { cooldownMs: 0 },
  );
async function start(...endpoints: readonly SpecProxy[]): Promise<void> {
  await world.stopAnalyzer();
  world.chain.client = () => connect(endpoints);
  world.startAnalyzer();
}
async function feed(): Promise<void> {
  await world.feedBlocks(...blocks);
  await world.feedFinalize(blocks.at(-1)!);
}
const untilConfirmed = () =>
  waitFor(
    async () =>
      (await world.rows(`SELECT FROM transactions WHERE confirmed_at IS NULL AND status <> 'reorged'`))
        .length === 0,
    { intervalMs: 10, message: 'the confirmations' },
  );
const lieWith = (lie: SolanaLie, ...liars: readonly SpecProxy[]): void => {
  for (const liar of liars) liar.change = lie.change(scene, invented);
};
/** As if the wait for others were over. */
const passWait = () => writeBeside(world, `created_at = created_at - interval '2 hours'`);

/** Everything is as where all endpoints are honest; `isTold` where nobody was told a lie as confirmed. */
async function expectTruth(truth: Told, isTold = true): Promise<void> {
  const now = await readTold(world);
  expect(contentsOf(now)).toEqual(contentsOf(truth));
  expect(now.assets).toEqual(truth.assets);
  // Lists show what was undone as history.
  const undone = await world.rows(`SELECT FROM transactions WHERE status = 'reorged'`);
  if (undone.length === 0) expect(now.totals).toEqual(truth.totals);
  if (isTold) expect([standingsOf(now), now.events]).toEqual([standingsOf(truth), truth.events]);
}
const contentsOf = ({ records }: Told) => [...records].map(([hash, { content }]) => [hash, content]);
const standingsOf = ({ records }: Told) => [...records].map(([hash, { standing }]) => [hash, standing]);
const untilTrue = (truth: Told) =>
  waitFor(async () => contentsOf(await readTold(world)).join() === contentsOf(truth).join(), {
    intervalMs: 20,
    message: 'the truth',
  }).catch(async () => expect(contentsOf(await readTold(world))).toEqual(contentsOf(truth)));

const table = (setting: number) =>
  LIES.map((lie) => [lie.name, lie] as const).filter((_, position) => isPlayed(position, setting));

/** Lies of this kind are told by nobody but their node, and confirmed at most as that. */
async function expectNoProof(truth: Told, allowed: RegExp): Promise<void> {
  const told = await readTold(world);
  const lies = findLies(told, truth);
  expect(lies.filter(({ hash, standing }) => told.isConfirmed(hash) && !allowed.test(standing))).toEqual([]);
}
const NEVER = /^$/;

/** The endpoints are honest from now on. What two operators attested is read again at the operator's request. */
async function healWith(lie: SolanaLie, truth: Told): Promise<void> {
  for (const endpoint of [one, two, three]) endpoint.reset();
  await makeDue(world);
  if (lie.alone === 'attested' || lie.alone === 'unproved')
    await reprocess(world, blocks[0]!.number, blocks.at(-1)!.number);
  await world.settle();
  await makeDue(world);
  await untilTrue(truth);
}

describe('a liar alone', () => {
  it.each(table(0))('gets nothing proved by %s', async (_, lie) => {
    lieWith(lie, one);
    await start(one);
    await feed();
    expect(await untilQuiet(world)).toBe(lie.alone === 'refused' ? 'stalled' : 'settled');
    await expectNoProof(alone, lie.alone === 'attested' ? /^confirmed attested$/ : NEVER);
    const told = await readTold(world);
    if (lie.alone === 'harmless') await expectTruth(alone);
    if (lie.alone === 'refused') expect([...told.records.keys()]).toEqual([[...alone.records.keys()][0]]);
    expect((await incidents(world)).length > 0).toBe(lie.alone === 'unproved');
    if (lie.alone === 'attested') return;
    one.reset();
    await world.settle();
    await untilTrue(alone);
    if (lie.alone !== 'unproved') await expectTruth(alone);
  });
});

describe('a liar beside an honest node', () => {
  it.each(table(1))('gets nothing confirmed by %s', async (_, lie) => {
    lieWith(lie, one);
    await start(one, two);
    await feed();
    expect(await untilQuiet(world)).toBe('settled');
    await untilAsked(world);
    await expectNoProof(together, NEVER);
    await healWith(lie, together);
    await untilConfirmed();
    await expectTruth(together, lie.alone !== 'attested');
    expect(standingsOf(await readTold(world))).toEqual(standingsOf(together));
  });
});

describe('two liars that agree', () => {
  it.each(table(2))(
    'get nothing proved by %s, and the truth is told when an honest node joins',
    async (_, lie) => {
      lieWith(lie, one, two);
      await start(one, two);
      await feed();
      await untilQuiet(world);
      await untilAsked(world);
      await expectNoProof(together, lie.alone === 'attested' ? /^confirmed agreed$/ : NEVER);
      await start(one, two, three);
      await world.settle();
      if (lie.alone === 'refused') await untilTrue(together);
      await healWith(lie, together);
      await untilConfirmed();
      await expectTruth(together, lie.alone === 'refused');
    },
  );
});

describe('a liar while the honest node is away', () => {
  it.each(table(3))('gets nothing proved by %s, and the truth is told when it is back', async (_, lie) => {
    lieWith(lie, one);
    two.isAway = true;
    await start(one, two);
    await feed();
    if ((await untilQuiet(world)) === 'settled') await passWait();
    await expectNoProof(together, lie.alone === 'attested' ? /^confirmed attested$/ : NEVER);
    two.isAway = false;
    await makeDue(world);
    await world.settle();
    await untilAsked(world);
    await healWith(lie, together);
    await untilConfirmed();
    await expectTruth(together, lie.alone === 'refused');
  });
});
