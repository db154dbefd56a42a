// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { readDerived, readTold, type Derived } from './spec-world/read-derived.ts';
import { EVM_LIES, type EvmLie } from './spec-world/spec-evm-lies.ts';
import { BOB, network, playScene, tellStory, VICTIM, type Scene } from './spec-world/spec-evm-scene.ts';
import { isPlayed, makeDue } from './spec-world/spec-lies.ts';
import { SpecProxy } from './spec-world/spec-proxy.ts';
import { incidents, passLimit, requestReprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// Every lie about a block of an EVM chain, played by real clients over proxies of one local node, through the real
// analyzer. What comes out once the truth is there is compared, row by row, with an analyzer that saw only the truth.

let postgres: PostgresHandle;
let scene: Scene;
let world: SpecWorld;
let liar: SpecProxy;
let accomplice: SpecProxy;
let honest: SpecProxy;
let truth: Derived;
/** Events that the analyzer sends that saw only the truth. */
let confirmed: ReadonlySet<string>;
/** What stands behind what it confirmed, in order. */
let standing: readonly string[];
/** The row of its token. */
let known: object;

beforeAll(async () => {
  [postgres, scene] = await Promise.all([SpecWorld.postgres(), playScene()]);
  [liar, accomplice, honest] = (await Promise.all([1, 2, 3].map(() => SpecProxy.start(scene.anvil.url)))) as [
    SpecProxy,
    SpecProxy,
    SpecProxy,
  ];
  await open();
  start(honest);
  await feed();
  await world.settle();
  truth = await readDerived(world);
  [known] = (
    await world.rows<{ row: object }>(`SELECT to_jsonb(a) AS row FROM assets a WHERE type = 'fungible'`)
  ).map(({ row }) => row) as [object];
  const told = (await readTold(world)).filter(isConfirmed);
  confirmed = new Set(told.map(({ payload }) => JSON.stringify(payload)));
  standing = told.map(({ verification }) => verification);
  await world.stop();
}, 60_000);
afterAll(() =>
  Promise.all(
    [liar, accomplice, honest].map((proxy) => proxy.stop()).concat([scene.anvil.stop(), postgres.stop()]),
  ),
);

const isConfirmed = ({ type }: { readonly type: string }): boolean =>
  type === 'transaction.confirmed' || type === 'transaction.failed';

async function open(attestWaitMs = 10): Promise<void> {
  world = await SpecWorld.start(postgres, {
    of: { network },
    unknownWaitMs: 3_600_000,
    attestWaitMs,
    metadataTimeoutMs: 30_000,
    pollMs: 100,
  });
  const project = await world.addProject();
  const watched = [];
  for (const address of [scene.alice, BOB, VICTIM]) watched.push(await world.watch(project, address));
  await world.makeDerived(watched);
  await world.watch(project, scene.token);
}

function start(...endpoints: readonly SpecProxy[]): void {
  world.chain.client = () =>
    createFailoverClient(
      endpoints.map(({ url }) => scene.family.createClient({ network, endpointUrl: url })),
      { cooldownMs: 0 },
    );
  world.startAnalyzer();
}

async function restart(...endpoints: readonly SpecProxy[]): Promise<void> {
  await world.stopAnalyzer();
  start(...endpoints);
}

async function feed(): Promise<void> {
  await world.feedBlocks(...scene.blocks);
  await world.feedFinalize(scene.blocks.at(-1)!);
}

/** Lets every wait of the unknown pass. Whether the blocks were taken. */
async function passWaits(): Promise<boolean> {
  return waitFor(
    async () => {
      const [state] = await world.rows<{ cursor_seq: number; status: string; reason: string | null }>(
        'SELECT cursor_seq, status, reason FROM analyzer_states',
      );
      await passLimit(world);
      if (state?.cursor_seq === world.seq) return { isTaken: true };
      const isRefused = state?.status === 'stalled' && !/does not know/.test(state.reason ?? '');
      return isRefused ? { isTaken: false } : undefined;
    },
    { intervalMs: 10, message: 'the lie to be taken or refused' },
  ).then(({ isTaken }) => isTaken);
}

/** What was confirmed otherwise than the truth, by what stands behind it. */
async function listConfirmedLies(): Promise<string[]> {
  const told = (await readTold(world)).filter(isConfirmed);
  return [
    ...new Set(
      told
        .filter(({ payload }) => !confirmed.has(JSON.stringify(payload)))
        .map(({ verification }) => verification),
    ),
  ];
}
const isVictimUsed = async () =>
  (await world.rows('SELECT FROM addresses WHERE is_used AND address = $1', [VICTIM])).length > 0;

/**
 * What a lie of the chain's word changed at first. An address is used from its first transaction on, whatever its fate; and
 * what `transaction.detected` told wrongly of a fee, or not at all, `transaction.confirmed` tells rightly.
 */
const lastWord = (derived: Derived, outcome: EvmLie['outcome']): Derived => ({
  ...derived,
  ...(outcome === 'attested' && {
    addresses: derived['addresses']!.map((row) => row.replace(/"is_used": \w+/, '')),
  }),
  ...((outcome === 'attested' || outcome === 'transaction') && {
    events: derived['events']!.filter((row) => !row.includes('"type": "transaction.detected"')),
  }),
});

async function expectTruth({ outcome }: EvmLie): Promise<void> {
  const expected = lastWord(truth, outcome);
  let derived: Derived | undefined;
  await waitFor(
    async () => {
      derived = lastWord(await readDerived(world), outcome);
      return JSON.stringify(derived) === JSON.stringify(expected);
    },
    { intervalMs: 100, message: 'the truth' },
  ).catch(() => undefined);
  expect(derived).toEqual(expected);
  if (outcome === 'attested') expect(await listConfirmedLies()).toEqual([]);
}

async function lie({ tell, outcome }: EvmLie): Promise<void> {
  // What an honest node attests is not held up by one whose block is refused.
  await open(outcome === 'attested' ? 3_600_000 : 10);
  // Its metadata came before: how late a node tells them is not played here.
  await world.db.query('INSERT INTO assets SELECT * FROM jsonb_populate_record(NULL::assets, $1)', [known]);
  const story = structuredClone(scene.story);
  await tell(story, scene);
  for (const proxy of [liar, accomplice]) proxy.change = tellStory(story);
}

const isHeld = ({ outcome }: EvmLie): boolean => outcome !== 'attested' && outcome !== 'none';

it('an honest node proves all but what it alone tells of a contract', () => {
  expect([...new Set(standing)].sort()).toEqual(['attested', 'proved']);
  expect(standing.filter((verification) => verification === 'attested')).toHaveLength(1);
});

describe.each(EVM_LIES)('$name', (played) => {
  beforeEach(() => {
    for (const proxy of [liar, accomplice, honest]) proxy.reset();
  });
  afterEach(() => world.stop());
  const inSetting = (setting: number): typeof it | typeof it.skip =>
    isPlayed(EVM_LIES.indexOf(played), setting) ? it : it.skip;

  inSetting(0)('told by one node alone', async () => {
    await lie(played);
    start(liar);
    await feed();
    expect(await passWaits()).toBe(played.outcome !== 'refused');
    expect(await listConfirmedLies()).toEqual(played.outcome === 'attested' ? ['attested'] : []);
    if (isHeld(played)) expect(await isVictimUsed()).toBe(false);
    await restart(liar, honest);
    if (played.outcome === 'attested') return;
    if (played.outcome === 'transaction') await requestReprocess(world, 1, 4);
    await expectTruth(played);
  });

  inSetting(1)('told beside an honest node', async () => {
    await lie(played);
    start(liar, honest);
    await feed();
    await world.settle();
    if (played.outcome === 'attested') {
      await waitFor(async () => (await incidents(world)).length > 0, { message: 'the incident' });
      expect(await incidents(world)).toMatchObject([{ kind: 'attestation:contradicted' }]);
      expect(await listConfirmedLies()).toEqual([]);
      liar.reset();
      await requestReprocess(world, 1, 4);
    }
    await expectTruth(played);
  });

  inSetting(2)('told by two that agree, then one that is honest', async () => {
    await lie(played);
    start(liar, accomplice);
    await feed();
    expect(await passWaits()).toBe(played.outcome !== 'refused');
    expect((await listConfirmedLies()).filter((verification) => verification !== 'agreed')).toEqual([]);
    await restart(liar, accomplice, honest);
    if (played.outcome === 'attested') return;
    if (played.outcome === 'transaction') await requestReprocess(world, 1, 4);
    await expectTruth(played);
  });

  inSetting(3)('told while the honest node is away for longer than the wait', async () => {
    await lie(played);
    honest.isAway = true;
    start(liar, honest);
    await feed();
    expect(await passWaits()).toBe(played.outcome !== 'refused');
    expect(await listConfirmedLies()).toEqual([]);
    if (isHeld(played)) expect(await isVictimUsed()).toBe(false);
    honest.isAway = false;
    if (played.outcome === 'attested') {
      await makeDue(world);
      await waitFor(async () => (await incidents(world)).length > 0, { message: 'the incident' });
      liar.reset();
    }
    if (played.outcome === 'attested' || played.outcome === 'transaction')
      await requestReprocess(world, 1, 4);
    await expectTruth(played);
  });
});
