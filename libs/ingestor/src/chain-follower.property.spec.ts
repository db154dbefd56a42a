// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { action, actionWithResets, History } from './spec-support/history.ts';
import { MemoryFeedStore } from './spec-support/memory-feed-store.ts';
import { replayFeed } from './spec-support/replay-feed.ts';

describe('ChainFollower over random histories', () => {
  it('ends with a feed that replays to exactly the canonical chain of the node', async () => {
    let reorgs = 0;
    let violations = 0;
    const property = fc.asyncProperty(
      fc.nat(40),
      fc.array(action, { minLength: 5, maxLength: 60 }),
      fc.boolean(),
      async (startHeight, actions, hasGaps) => {
        const store = new MemoryFeedStore();
        const history = new History(startHeight, store, { hasGaps });
        for (const step of actions) await history.run(step);
        await history.settle();

        const { chain } = history;
        const replayed = replayFeed(store.entries);
        reorgs += store.entries.filter(({ type }) => type === 'reorg').length;
        violations += replayed.violations;
        const from = store.state.startNumber ?? Number.NaN;
        expect(replayed.chain).toEqual(chain.branch(from).map(({ number, hash }) => ({ number, hash })));
        expect(store.state.head).toEqual(replayed.chain.at(-1));
        expect(store.state.finalized).toEqual(replayed.finalized);
        expect(store.announced.size).toBe(0);
        expect([...store.skipped].toSorted((a, b) => a - b)).toEqual(
          numbersBetween(replayed.chain.map(({ number }) => number)),
        );
        for (const entry of history.published.values()) expect(store.entries[entry.seq - 1]).toEqual(entry);
      },
    );
    // Forks below finality are rare: as many histories are played as it takes.
    for (let batch = 0; batch < 10 && (violations <= 5 || reorgs <= 500); batch += 1)
      await fc.assert(property, { numRuns: 500 });
    // The histories must hold what they are about.
    expect(reorgs).toBeGreaterThan(500);
    expect(violations).toBeGreaterThan(5);
  });

  it('does so after resets, wherever they and the database fail, and also where the node began anew below what was followed', async () => {
    let resets = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.array(actionWithResets, { minLength: 5, maxLength: 60 }),
        fc.boolean(),
        async (startHeight, actions, hasGaps) => {
          const store = new MemoryFeedStore();
          const history = new History(startHeight, store, {
            hasGaps,
            askReset: (reset) => (store.reset ??= reset),
          });
          for (const step of actions) await history.run(step);
          await history.settle({ isHigher: false });
          // As an operator would whose node is lower than before.
          store.reset = { id: 'last' };
          await history.settle({ isHigher: false });

          const replayed = replayFeed(store.entries);
          resets += store.entries.filter(({ type }) => type === 'reorg').length;
          expect(store.reset).toBeUndefined();
          expect(replayed.chain).toEqual(
            history.chain
              .branch(store.state.startNumber ?? Number.NaN)
              .map(({ number, hash }) => ({ number, hash })),
          );
          expect(store.state.head).toEqual(replayed.chain.at(-1));
          expect(store.state.finalized).toEqual(replayed.finalized);
          expect(store.announced.size).toBe(0);
          expect([...store.skipped].toSorted((a, b) => a - b)).toEqual(
            numbersBetween(replayed.chain.map(({ number }) => number)),
          );
        },
      ),
      { numRuns: 300 },
    );
    expect(resets).toBeGreaterThan(1_000);
  });
});

/** What is missing in ascending `numbers`. */
function numbersBetween(numbers: readonly number[]): number[] {
  const [first = 0, last = -1] = [numbers[0], numbers.at(-1)];
  const known = new Set(numbers);
  return Array.from({ length: last - first + 1 }, (_, position) => first + position).filter(
    (number) => !known.has(number),
  );
}
