// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { network } from '@chainwatch/data/testing';
import type { SpecEndpoint } from './spec-world/spec-chain.ts';
import { ALICE, pay, SettlingChain } from './spec-world/spec-settling.ts';
import { TurnCounter } from './spec-world/spec-turns.ts';
import { incidents, requestReprocess, reprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

/** Ten times as much is overdue: what waits for evidence is never late, however slow the machine, or is late soon. */
const EVIDENCE_MS = { never: 60_000, soon: 40 };

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
let chain: SettlingChain;
let evidenceLoop: TurnCounter;

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
async function startWorld(evidenceDelayMs: number): Promise<void> {
  world = await SpecWorld.start(postgres, { pollMs: 100, of: { network: { ...network, evidenceDelayMs } } });
  project = await world.addProject();
  await world.watch(project, ALICE);
  chain = new SettlingChain(world);
  evidenceLoop = new TurnCounter('find_unsettled');
}
afterEach(() => world.stop());

const told = async () =>
  (await world.events()).map(({ type, payload }) => {
    const { transaction } = EVENT_SCHEMAS['transaction.detected'].shape.data.parse(
      (JSON.parse(payload) as { data: unknown }).data,
    );
    return `${type} ${transaction.transfers[0]?.amount_raw} ${transaction.verification}`;
  });

describe('a block whose evidence follows it', () => {
  beforeEach(() => startWorld(EVIDENCE_MS.never));

  it('is told at once, confirmed when the evidence is there, and opens no incident', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[1]!);
    await world.settle();
    await evidenceLoop.turn();
    expect(await told()).toEqual(['transaction.detected 5 settling']);
    expect(await chain.records()).toEqual([
      { status: 'detected', verification: 'settling', is_withheld: true },
    ]);
    expect(await chain.verifications()).toEqual(['settling', 'settling', 'settling']);
    chain.prove(blocks.slice(0, 2), blocks[2]!);
    await chain.reach(2);
    expect(await told()).toEqual(['transaction.detected 5 settling', 'transaction.confirmed 5 proved']);
    expect(await chain.records()).toEqual([
      { status: 'confirmed', verification: 'proved', is_withheld: false },
    ]);
    expect([await incidents(world), await chain.verifications()]).toEqual([
      [],
      ['proved', 'proved', 'settling'],
    ]);
    expect(await world.rows('SELECT FROM unproved_transactions')).toEqual([]);
  });

  it('waits for finality, too, where the evidence comes first', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    chain.prove(blocks.slice(0, 1), blocks[2]!);
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.settle();
    await evidenceLoop.turn();
    expect(await told()).toEqual(['transaction.detected 5 proved']);
    await world.feedFinalize(blocks[0]!);
    await world.settle();
    expect(await told()).toEqual(['transaction.detected 5 proved', 'transaction.confirmed 5 proved']);
  });

  it('is confirmed by depth only with its evidence', async () => {
    await world.choosePolicy(project, 2);
    const blocks = chain.make(4, { 1: pay('one') });
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.settle();
    await evidenceLoop.turn();
    expect(await told()).toEqual(['transaction.detected 5 settling']);
    chain.prove(blocks, blocks[3]!);
    await world.feedFinalize(blocks[2]!);
    await chain.reach(3);
    await world.feedBlocks(world.chain.make(blocks[3]));
    await world.settle();
    expect(await told()).toEqual(['transaction.detected 5 settling', 'transaction.confirmed 5 proved']);
  });

  it('undoes what the evidence contradicts, and tells the truth', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    chain.lies.set(blocks[0]!.hash, { ...blocks[0]!, transactions: [{ ...pay('one', 900n), index: 0 }] });
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[1]!);
    await world.settle();
    expect(await told()).toEqual(['transaction.detected 900 settling']);
    chain.prove(blocks.slice(0, 2), blocks[2]!);
    await chain.reach(2);
    expect(await told()).toEqual([
      'transaction.detected 900 settling',
      'transaction.reorged 900 settling',
      'transaction.detected 5 proved',
      'transaction.confirmed 5 proved',
    ]);
  });

  it('finds the payment that was hidden', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    chain.lies.set(blocks[0]!.hash, { ...blocks[0]!, transactions: [] });
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[1]!);
    await world.settle();
    expect(await told()).toEqual([]);
    chain.prove(blocks.slice(0, 2), blocks[2]!);
    await chain.reach(2);
    expect(await told()).toEqual(['transaction.detected 5 proved', 'transaction.confirmed 5 proved']);
  });

  it('is not proved by a header of another chain', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    const foreign = world.chain.make(blocks[1], {}, 'foreign');
    chain.prove(blocks.slice(0, 2), foreign);
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[1]!);
    await world.settle();
    await evidenceLoop.turn();
    expect(await chain.records()).toMatchObject([{ status: 'detected', is_withheld: true }]);
    chain.prove(blocks.slice(0, 2), blocks[2]!);
    await chain.reach(2);
    expect(await chain.records()).toMatchObject([{ status: 'confirmed', verification: 'proved' }]);
  });

  it('goes on over a restart, and when the address was added behind the block', async () => {
    const blocks = chain.make(4, { 2: pay('one') });
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks.slice(0, 3));
    await world.settle();
    await world.stopAnalyzer();
    chain.prove(blocks.slice(0, 3), blocks[3]!);
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(blocks[3]!);
    await world.feedFinalize(blocks[2]!);
    await chain.reach(3);
    expect(await told()).toEqual(['transaction.detected 5 settling', 'transaction.confirmed 5 proved']);
  });

  it.each([false, true])(
    'is settling again when a reorg takes the header that proved it (confirmed before: %s)',
    async (isFinal) => {
      const blocks = chain.make(3, { 1: pay('one') });
      const [first] = blocks;
      const second = world.chain.make(first, {}, 'made up');
      const third = world.chain.make(second, {}, 'made up');
      let isLying = true;
      world.chain.endpoints = [
        {
          label: 'liar',
          tell: (block) =>
            isLying && block.hash === first!.hash
              ? {
                  ...first!,
                  transactions: [{ ...pay('one', 900n), index: 0 }],
                  provedBy: { number: third.number, hash: third.hash },
                }
              : chain.settler('liar').tell(block),
        },
      ];
      await world.feedBlocks(first!, second, third);
      if (isFinal) await world.feedFinalize(first!);
      world.startAnalyzer(evidenceLoop);
      await world.settle();
      const before = [
        'transaction.detected 900 proved',
        ...(isFinal ? ['transaction.confirmed 900 proved'] : []),
      ];
      expect(await told()).toEqual(before);
      isLying = false;
      await world.feedReorg([third, second]);
      await world.settle();
      await evidenceLoop.turn();
      expect(await chain.records()).toMatchObject([{ verification: 'settling' }]);
      chain.prove(blocks.slice(0, 2), blocks[2]!);
      await world.feedBlocks(...blocks.slice(1));
      await world.feedFinalize(blocks[1]!);
      await waitFor(async () => (await told()).length === before.length + 3, { message: 'the truth' });
      expect((await told()).slice(before.length)).toEqual([
        'transaction.reorged 900 settling',
        'transaction.detected 5 proved',
        'transaction.confirmed 5 proved',
      ]);
      expect(await incidents(world)).toEqual([]);
    },
  );

  it('is proved again, and told nothing more, when another header says the same', async () => {
    const blocks = chain.make(3, { 1: pay('one') });
    const other = world.chain.make(blocks[1], {}, 'other');
    chain.prove(blocks.slice(0, 2), blocks[2]!);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[0]!);
    world.startAnalyzer(evidenceLoop);
    await world.settle();
    await world.feedReorg([blocks[2]!]);
    await world.settle();
    chain.prove(blocks.slice(0, 2), other);
    await world.feedBlocks(other);
    await world.feedFinalize(blocks[1]!);
    await chain.reach(2);
    expect(await told()).toEqual(['transaction.detected 5 proved', 'transaction.confirmed 5 proved']);
    expect(await chain.records()).toEqual([
      { status: 'confirmed', verification: 'proved', is_withheld: false },
    ]);
  });

  it('is forgotten with a reorg, and its replacement is proved', async () => {
    const [first, second] = chain.make(2, { 2: pay('one') });
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(first!, second!);
    await world.settle();
    await world.feedReorg([second!]);
    const other = world.chain.make(first, { transactions: [pay('one')] }, 'other');
    const next = world.chain.make(other);
    chain.prove([first!, other], next);
    await world.feedBlocks(other, next);
    await world.feedFinalize(other);
    await chain.reach(2);
    expect((await told()).at(-1)).toBe('transaction.confirmed 5 proved');
    expect(await world.rows('SELECT FROM unproved_transactions')).toEqual([]);
    expect(await incidents(world)).toEqual([]);
  });
});

describe('evidence that stays away', () => {
  beforeEach(() => startWorld(EVIDENCE_MS.soon));

  it('is an incident after ten times its usual time, and proves the block when it comes after all', async () => {
    const blocks = chain.make(12, { 1: pay('one'), 3: pay('three', 7n) });
    // All but the first: its group is the one with the lie.
    chain.prove(blocks.slice(1, 11), blocks[11]!);
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[10]!);
    await chain.reach(11);
    expect(await incidents(world)).toMatchObject([
      { kind: 'evidence:overdue', status: 'open', block_number: 1, last_block_number: 1 },
    ]);
    expect(await chain.records()).toEqual([
      { status: 'detected', verification: 'unproved', is_withheld: true },
      { status: 'confirmed', verification: 'proved', is_withheld: false },
    ]);
    chain.prove(blocks.slice(0, 1), blocks[11]!);
    await waitFor(async () => (await chain.records())[0]?.status === 'confirmed', {
      message: 'the late evidence',
    });
    expect(await chain.records()).toMatchObject([{ verification: 'proved' }, { verification: 'proved' }]);
    await waitFor(async () => (await incidents(world)).every((one) => one.status === 'resolved'));
    expect((await chain.verifications()).slice(0, 11).every((one) => one === 'proved')).toBe(true);
  });

  it('is no incident while the chain stands still: there can be none', async () => {
    const blocks = chain.make(2, { 1: pay('one') });
    // One second of chain time behind the first block, where ten times the usual time is more.
    await world.stop();
    world = await SpecWorld.start(postgres, {
      pollMs: 100,
      of: { network: { ...network, evidenceDelayMs: 110 } },
    });
    project = await world.addProject();
    await world.watch(project, ALICE);
    for (const block of blocks) world.chain.blocks.set(block.hash, block);
    chain = new SettlingChain(world);
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[1]!);
    await world.settle();
    // Ten times the usual time by our clock, and a look at the block after it.
    const overdueAtMs = performance.now() + 1_100;
    await waitFor(() => performance.now() > overdueAtMs, { message: 'the time to pass' });
    await evidenceLoop.turn();
    expect([await incidents(world), await chain.records()]).toEqual([
      [],
      [{ status: 'detected', verification: 'settling', is_withheld: true }],
    ]);
  });

  it('is asked of every endpoint: a lying one is refused, an honest one proves', async () => {
    const blocks = chain.make(12, { 1: pay('one') });
    const liar: SpecEndpoint = {
      label: 'liar',
      tell: (block) => {
        if (chain.evidence.has(block.hash)) throw new IncompleteBlockError('receipts have another root');
        return chain.settler('liar').tell(block);
      },
    };
    chain.lies.set(blocks[0]!.hash, { ...blocks[0]!, transactions: [{ ...pay('one', 900n), index: 0 }] });
    world.chain.endpoints = [liar, chain.settler('honest')];
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[10]!);
    await world.settle();
    chain.prove(blocks.slice(0, 11), blocks[11]!);
    await chain.reach(11);
    expect((await told()).slice(-2)).toEqual([
      'transaction.detected 5 proved',
      'transaction.confirmed 5 proved',
    ]);
    expect(await incidents(world)).toEqual([]);
  });

  it('stays with the incident over reprocess, which resolves it once the evidence is there', async () => {
    const blocks = chain.make(12, { 1: pay('one') });
    chain.prove(blocks.slice(1, 11), blocks[11]!);
    world.startAnalyzer(evidenceLoop);
    await world.feedBlocks(...blocks);
    await world.feedFinalize(blocks[10]!);
    await chain.reach(11);
    await reprocess(world, 1, 3);
    expect(await incidents(world)).toMatchObject([{ kind: 'evidence:overdue', status: 'open' }]);
    chain.prove(blocks.slice(0, 1), blocks[11]!);
    await requestReprocess(world, 1, 3);
    await waitFor(async () => (await incidents(world))[0]?.status === 'resolved');
    expect(await chain.records()).toMatchObject([{ status: 'confirmed', verification: 'proved' }]);
  });
});
