// SPDX-License-Identifier: Apache-2.0
import type { Block, UnknownPart } from '@chainwatch/chain-core';
import { eventIdOf } from '@chainwatch/events';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { NATIVE } from '@chainwatch/data/testing';
import fc from 'fast-check';
import { makeTransaction } from './spec-world/spec-chain.ts';
import { MortalDatabase } from './spec-world/spec-mortal-database.ts';
import { accept, makeBlind, partOf, passLimit, withMore } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const KINDS = ['transaction-type:0x7d', 'header-field:a'];
let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());

interface Plan {
  /** Of the payment in the block; undefined: everything is known. */
  readonly kind?: number;
  /** Who of the two endpoints tells another amount. */
  readonly liar?: number;
  /** The process is killed at that statement once the block was fed. */
  readonly kill?: { readonly statements: number; readonly diesAfter: boolean };
}

const planOf: fc.Arbitrary<Plan> = fc.record(
  {
    kind: fc.nat(KINDS.length - 1),
    liar: fc.nat(1),
    kill: fc.record({ statements: fc.integer({ min: 1, max: 40 }), diesAfter: fc.boolean() }),
  },
  { requiredKeys: [] },
);

/** A chain, two endpoints of which one lies now and then, and a process that is killed. */
async function play(world: SpecWorld, plans: readonly Plan[]): Promise<{ blocks: Block[]; project: string }> {
  const project = await world.addProject();
  await world.watch(project, ALICE);
  const parts = new Map<string, readonly UnknownPart[]>();
  const liars = new Map<string, number>();
  const lie =
    (index: number) =>
    (block: Block): Block =>
      liars.get(block.hash) === index ? withMore(block.transactions[0]!.hash)(block) : block;
  world.chain.endpoints = [makeBlind('one', parts, lie(0)), makeBlind('two', parts, lie(1))];
  const blocks: Block[] = [];
  let mortal = new MortalDatabase();
  world.startAnalyzer(mortal);
  const settle = (): Promise<boolean> =>
    waitFor(
      async () => {
        if (mortal.isDead) {
          await world.stopAnalyzer();
          world.startAnalyzer((mortal = new MortalDatabase()));
        }
        await passLimit(world);
        const [row] = await world.rows<{ cursor_seq: number; waiting: number }>(
          `SELECT cursor_seq, (SELECT count(*)::int FROM unproved_transactions u WHERE u.verdict = 'waiting' AND u.block_number <= s.confirmed_number) AS waiting FROM analyzer_states s`,
        );
        return !mortal.isDead && row?.cursor_seq === world.seq && row.waiting === 0;
      },
      { intervalMs: 3, timeoutMs: 30_000, message: 'every entry and every verdict' },
    );
  for (const [position, { kind, liar, kill }] of plans.entries()) {
    const payment = makeTransaction(`${position}`, {
      from: ALICE,
      transfers: [{ index: 0, type: 'native', assetGid: NATIVE, from: ALICE, to: '0xb', amountRaw: 5n }],
    });
    const block = world.chain.make(blocks.at(-1), { transactions: [payment] });
    if (kind !== undefined) parts.set(block.hash, [partOf(KINDS[kind]!, payment.hash)]);
    if (kind !== undefined && liar !== undefined) liars.set(block.hash, liar);
    blocks.push(block);
    if (kill !== undefined && !mortal.isDead) mortal.killAt(kill.statements, kill.diesAfter);
    await world.feedBlocks(block);
    if (position % 2 === 1) await world.feedFinalize(blocks[position - 1]!);
    if (position % 3 === 2) await settle();
  }
  await world.feedFinalize(blocks.at(-1)!);
  await settle();
  return { blocks, project };
}

describe('blocks with something unknown, whatever happens', () => {
  it('are told once, and confirmed once where two endpoints agree or the operator accepts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(planOf, { minLength: 3, maxLength: 9 }), async (plans) => {
        const world = await SpecWorld.start(postgres, { unknownWaitMs: 3_600_000, pollMs: 100 });
        try {
          const { blocks, project } = await play(world, plans);
          const idsOf = (type: 'transaction.detected' | 'transaction.confirmed', some: readonly Block[]) =>
            some.map((block) =>
              eventIdOf({
                projectId: project,
                type,
                chainGid: world.gid,
                hash: block.transactions[0]!.hash,
                epoch: 0,
              }),
            );
          const isDoubted = (_block: Block, position: number): boolean =>
            plans[position]!.kind !== undefined && plans[position]!.liar !== undefined;
          const expected = [
            ...idsOf('transaction.detected', blocks),
            ...idsOf(
              'transaction.confirmed',
              blocks.filter((block, position) => !isDoubted(block, position)),
            ),
          ].sort();
          const told = async () => (await world.events()).map(({ event_id: id }) => id).sort();
          expect(await told()).toEqual(expected);
          // Every second one was told by the liar, and stands in the record until somebody proves it.
          await accept(world);
          const all = [
            ...idsOf('transaction.detected', blocks),
            ...idsOf('transaction.confirmed', blocks),
          ].sort();
          await waitFor(async () => {
            expect(await told()).toEqual(all);
            return true;
          });
          expect((await world.events()).map(({ sequence }) => sequence)).toEqual(
            all.map((_, position) => position + 1),
          );
        } finally {
          await world.stop();
        }
      }),
      { numRuns: 12 },
    );
  }, 300_000);
});
