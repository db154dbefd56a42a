// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { BlockHeader } from '@chainwatch/chain-core';
import { ChainFollower } from '../chain-follower.ts';
import type { ChainReset, FeedEntry } from '../feed.ts';
import type { FeedStore } from '../feed-store.ts';
import { FakeChain, FakeNode } from './fake-chain.ts';
import { FlakyFeedStore } from './flaky-feed-store.ts';

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export type Action =
  | { readonly type: 'extend'; readonly count: number }
  | { readonly type: 'fork'; readonly depth: number; readonly growth: number }
  /** The branch that was canonical before the last fork wins again. */
  | { readonly type: 'flip'; readonly growth: number }
  | { readonly type: 'lag'; readonly blocks: number }
  | { readonly type: 'fail'; readonly calls: number }
  | { readonly type: 'move'; readonly after: number; readonly depth: number }
  | { readonly type: 'store'; readonly failure: 'before' | 'after' }
  | { readonly type: 'push'; readonly order: readonly number[] }
  | { readonly type: 'poll' }
  | { readonly type: 'finalize'; readonly depth: number }
  | { readonly type: 'wrong' }
  | { readonly type: 'agree'; readonly endpoints: number }
  | { readonly type: 'reset'; readonly fromBlock: number | undefined }
  /** The node starts over with another chain of this height. */
  | { readonly type: 'anew'; readonly height: number }
  | { readonly type: 'restart' };

const depths = fc.oneof(
  { weight: 6, arbitrary: fc.nat(6) },
  { weight: 2, arbitrary: fc.nat(70) },
  { weight: 1, arbitrary: fc.nat(600) },
);
const poll = fc.constant({ type: 'poll' } as const);
export const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('extend' as const),
      count: fc.oneof(
        { weight: 5, arbitrary: fc.integer({ min: 1, max: 5 }) },
        fc.integer({ min: 1, max: 300 }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('fork' as const),
      depth: depths,
      growth: fc.integer({ min: -3, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('flip' as const), growth: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('lag' as const), blocks: depths }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('fail' as const), calls: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      after: fc.integer({ min: 1, max: 8 }),
      depth: fc.nat(60),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('store' as const),
      failure: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('push' as const),
      order: fc.array(fc.nat(6), { minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 6, arbitrary: poll },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('finalize' as const), depth: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'wrong' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('agree' as const), endpoints: fc.integer({ min: 1, max: 2 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' } as const) },
);
export const actionWithResets: fc.Arbitrary<Action> = fc.oneof(
  { weight: 20, arbitrary: action },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('reset' as const),
      fromBlock: fc.option(fc.nat(400), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('anew' as const), height: fc.nat(60) }) },
);

/** One chain, its node, and a follower that is restarted now and then. */
export class History {
  readonly chain: FakeChain;
  readonly node: FakeNode;
  readonly store: FlakyFeedStore;
  readonly published = new Map<number, FeedEntry>();
  readonly #askReset: (reset: ChainReset) => void;
  #follower: ChainFollower;
  #isLoaded = false;
  #before: BlockHeader;

  constructor(
    startHeight: number,
    store: FeedStore,
    { hasGaps = false, askReset = ignore as (reset: ChainReset) => void } = {},
  ) {
    this.#askReset = askReset;
    this.chain = new FakeChain({ hasGaps });
    this.node = new FakeNode(this.chain);
    this.#before = this.chain.tip;
    this.chain.extend(startHeight);
    this.store = new FlakyFeedStore(store);
    this.#follower = this.#create();
  }

  async run(step: Action): Promise<void> {
    switch (step.type) {
      case 'extend':
        return this.chain.extend(step.count);
      case 'fork':
        return this.#fork(step.depth, Math.max(step.depth + step.growth, 1));
      case 'flip': {
        const before = this.#before;
        this.#before = this.chain.tip;
        this.chain.tip = before;
        return this.chain.extend(step.growth);
      }
      case 'lag':
        this.node.lag = step.blocks;
        return;
      case 'fail':
        this.node.failures = step.calls;
        return;
      case 'move':
        return this.#moveAfter(step.after, step.depth);
      case 'store':
        this.store.failNext = step.failure;
        return;
      case 'push': {
        const recent = this.chain
          .range(this.node.head, this.node.head.number - 6, this.node.head.number)
          .toReversed();
        return this.#attempt(() =>
          this.#follower.followAll(step.order.map((position) => recent[position] ?? this.node.head)),
        );
      }
      case 'poll':
        return this.#attempt(async () => this.#follower.follow(await this.node.readHead()));
      case 'finalize': {
        const final = this.chain.ancestor(this.node.head, Math.min(step.depth, this.node.head.number));
        this.#follower.setFinality(final);
        return this.#attempt(() => this.#follower.commitFinality());
      }
      case 'wrong':
        this.node.isWrongChain = !this.node.isWrongChain;
        return;
      case 'agree':
        this.node.agreeing = step.endpoints;
        return;
      case 'reset':
        return this.#askReset({
          id: 'reset',
          fromBlock: step.fromBlock,
        });
      case 'anew':
        return this.chain.beginAnew(step.height);
      case 'restart':
        this.#follower = this.#create();
        this.#isLoaded = false;
    }
  }

  /** All faults end, the chain grows above our head, and is polled until we have followed it. */
  async settle({ isHigher = true } = {}): Promise<void> {
    Object.assign(this.node, { lag: 0, failures: 0, isWrongChain: false, beforeCall: ignore });
    this.store.failNext = undefined;
    if (isHigher)
      this.chain.extend(Math.max(1, ((await this.store.load()).head?.number ?? 0) - this.chain.tip.number));
    for (let polls = 0; polls < 3; polls += 1)
      await this.#attempt(async () => this.#follower.follow(await this.node.readHead()));
  }

  #fork(depth: number, length: number): void {
    this.#before = this.chain.tip;
    this.chain.fork(depth, length);
  }

  #moveAfter(calls: number, depth: number): void {
    let left = calls;
    this.node.beforeCall = () => {
      left -= 1;
      if (left === 0) this.#fork(depth, depth + 1);
    };
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      if (!this.#isLoaded) await this.#follower.load();
      this.#isLoaded = true;
      const reset = await this.store.findReset();
      if (reset !== undefined) await this.#follower.reset(reset);
      await work();
    } catch {
      this.#isLoaded = false;
    }
  }

  #create(): ChainFollower {
    const publish = (entries: readonly FeedEntry[]): void =>
      entries.forEach((entry) => this.published.set(entry.seq, entry));
    return new ChainFollower({
      client: this.node,
      store: this.store,
      publisher: { publish },
      log,
      signal: new AbortController().signal,
      chunkSize: 16,
      concurrency: 3,
    });
  }
}
