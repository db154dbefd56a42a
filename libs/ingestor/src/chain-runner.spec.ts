// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type BlockHeader, type BlockRef, type Network } from '@chainwatch/chain-core';
import { ShareLostError } from '@chainwatch/data/ownership';
import { waitFor } from '@chainwatch/testing';
import { createChainReport } from './chain-report.ts';
import { ChainRunner } from './chain-runner.ts';
import type { FeedStore } from './feed-store.ts';
import { FakeChain, FakeNode } from './spec-support/fake-chain.ts';
import { MemoryFeedStore } from './spec-support/memory-feed-store.ts';
import { replayFeed } from './spec-support/replay-feed.ts';

const ignore = (): void => undefined;
const warnings: string[] = [];
const log = {
  debug: ignore,
  info: ignore,
  warn: (_fields: object, message: string) => void warnings.push(message),
  error: ignore,
};

/** A node that also pushes, as long as it is not silent. */
class PushingNode extends FakeNode {
  readonly network: Network;
  finalized: BlockRef | undefined;
  isFinalityUnknown = false;
  subscriptions = 0;
  #onHead: ((head: BlockHeader) => void) | undefined;
  #onEnd: ((error: Error) => void) | undefined;
  isClosed = false;

  constructor(chain: FakeChain, blockTimeMs: number) {
    super(chain);
    this.network = {
      gid: 'eip155:1',
      blockTimeMs,
      confirmation: { type: 'tag', tag: 'finalized', depth: 3 },
    } as Network;
  }

  subscribeHeads(onHead: (head: BlockHeader) => void, onEnd: (error: Error) => void): () => void {
    this.subscriptions += 1;
    this.#onHead = onHead;
    this.#onEnd = onEnd;
    return () => {
      if (this.#onHead === onHead) this.#onHead = undefined;
    };
  }

  push(...heads: readonly BlockHeader[]): void {
    for (const head of heads) this.#onHead?.(head);
  }

  endSubscription(): void {
    this.#onEnd?.(new ChainClientError('the socket closed'));
  }

  async findFinalized(): Promise<BlockRef | undefined> {
    if (this.isFinalityUnknown) throw new ChainClientError('no finality today');
    return this.finalized;
  }

  close(): void {
    this.isClosed = true;
  }
}

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

function run({
  blockTimeMs = 60_000,
  chain = new FakeChain(),
  height = 3,
  store = new MemoryFeedStore() as MemoryFeedStore,
  wrap = (inner: FeedStore) => inner,
} = {}) {
  chain.extend(height);
  const node = new PushingNode(chain, blockTimeMs);
  const report = createChainReport('eip155:1');
  const stopper = new AbortController();
  const runner = new ChainRunner({
    client: node,
    store: wrap(store),
    publisher: { publish: ignore },
    log,
    report,
    reportReach: ignore,
    signal: stopper.signal,
  });
  const ended = runner.run();
  stops.push(() => {
    stopper.abort();
    return ended;
  });
  const reach = () =>
    waitFor(() => store.state.head?.hash === chain.tip.hash, {
      message: () => `head ${chain.tip.number}, got ${store.state.head?.number}`,
      intervalMs: 1,
    });
  return { chain, node, store, report, runner, ended, stopper, reach };
}

describe('ChainRunner', () => {
  it('follows pushed heads without polling for them', async () => {
    const { chain, node, reach } = run();
    await reach();
    const before = node.calls;
    for (let pushed = 0; pushed < 5; pushed += 1) {
      chain.extend(1);
      node.push(chain.tip);
      await reach();
    }
    // The block time is a minute: nobody polled.
    expect(node.calls).toBe(before);
  });

  it('bears pushes that skip, repeat and come out of order', async () => {
    const { chain, node, store, reach } = run();
    await reach();
    chain.extend(9);
    const [a, b, c, d] = chain.branch(4) as [BlockHeader, BlockHeader, BlockHeader, BlockHeader];
    node.push(c, a, a, d, b, chain.tip, c);
    await reach();
    expect(replayFeed(store.entries).chain.at(-1)?.hash).toBe(chain.tip.hash);
  });

  it('follows by polling when nothing is pushed', async () => {
    const { chain, node, store, reach } = run({ blockTimeMs: 100 });
    await reach();
    const before = node.calls;
    chain.extend(3);
    await reach();
    expect(replayFeed(store.entries).chain.at(-1)?.hash).toBe(chain.tip.hash);
    expect(node.calls).toBeGreaterThan(before);
  });

  it('takes five blocks of one second in order, and measures 200 ms', async () => {
    const { chain, node, store, report, reach } = run({
      chain: new FakeChain({ blocksPerSecond: 5 }),
      blockTimeMs: 2_000,
    });
    await reach();
    expect(report.blockTime).toMatchObject({ ms: 2_000, measuredMs: undefined });
    for (let number = 0; number < 60; number += 1) {
      chain.extend(1);
      node.push(chain.tip);
    }
    await reach();
    const blocks = replayFeed(store.entries).chain;
    expect(blocks.map(({ number }) => number)).toEqual(blocks.map((_, index) => blocks[0]!.number + index));
    expect(blocks.at(-1)?.hash).toBe(chain.tip.hash);
    expect(report.status).toBe('following');
    expect(report.blockTime).toMatchObject({ ms: 200, measuredMs: 200, configuredMs: 2_000 });
  });

  it('renews a subscription that went silent, and one that ended', async () => {
    const { chain, node, reach } = run({ blockTimeMs: 50 });
    await reach();
    chain.extend(1);
    node.push(chain.tip);
    await reach();
    for (let silent = 0; silent < 2; silent += 1) {
      chain.extend(1);
      await reach();
    }
    await waitFor(() => node.subscriptions === 2, { message: 'the renewed subscription' });
    node.endSubscription();
    await waitFor(() => node.subscriptions === 3, { message: 'the next subscription' });
    chain.extend(1);
    node.push(chain.tip);
    await reach();
  });

  it('stalls with the reason while the node fails, stays at its block, and goes on by itself', async () => {
    const { chain, node, store, report, reach } = run({ blockTimeMs: 50 });
    await reach();
    node.failures = 5;
    chain.extend(4);
    await waitFor(() => report.status === 'stalled', { message: 'the chain to be stalled', intervalMs: 1 });
    expect(report.reason).toBe('the node did not answer');
    expect(store.statuses).toContain('stalled');
    expect(store.state.head?.number).toBe(3);
    await reach();
    await waitFor(() => report.status === 'following' && report.reason === undefined, {
      message: 'the chain to be well again',
    });
  });

  it('goes on after the database was away', async () => {
    let isAway = false;
    const guard =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (isAway) throw new Error('the database is away');
        return call(...args);
      };
    const wrap = (inner: FeedStore): FeedStore => ({
      load: guard(() => inner.load()),
      commit: guard((batch) => inner.commit(batch)),
      announce: guard((from, to) => inner.announce(from, to)),
      setStatus: guard((status, reason) => inner.setStatus(status, reason)),
      findCanonicalAtOrBelow: guard((number) => inner.findCanonicalAtOrBelow(number)),
      readCanonical: guard((from, to) => inner.readCanonical(from, to)),
      readEntries: guard((afterSeq, limit) => inner.readEntries(afterSeq, limit)),
      findReset: guard(() => inner.findReset()),
      beginReset: guard((reset) => inner.beginReset(reset)),
      finishReset: guard((reset) => inner.finishReset(reset)),
      prune: guard(() => inner.prune()),
    });
    const { chain, report, reach } = run({ blockTimeMs: 50, wrap });
    await reach();
    isAway = true;
    chain.extend(3);
    await waitFor(() => report.status === 'stalled', { message: 'the chain to be stalled' });
    expect(report.reason).toBe('the database is away');
    isAway = false;
    await reach();
    await waitFor(() => report.status === 'following', { message: 'the chain to be well again' });
  });

  it('says so when the node stays behind', async () => {
    const { chain, node, report, store, reach } = run({ blockTimeMs: 50 });
    await reach();
    chain.extend(5);
    await reach();
    node.lag = 4;
    await waitFor(() => report.status === 'stalled', { message: 'the chain to be stalled' });
    expect(report.reason).toBe('the node is 4 blocks behind, at 4');
    expect(store.state.head?.number).toBe(8);
    node.lag = 0;
    await waitFor(() => report.status === 'following', { message: 'the chain to be well again' });
  });

  it('tells finality by the node, and by depth where the node does not tell', async () => {
    const { chain, node, store, reach } = run({ blockTimeMs: 50, height: 0 });
    await reach();
    chain.extend(20);
    await reach();
    await waitFor(() => store.state.finalized?.number === 18, { message: 'finality by depth' });
    node.finalized = chain.at(chain.tip, 19);
    await waitFor(() => store.state.finalized?.number === 19, { message: 'finality by the node' });
    // Final beyond our head: as far as we are.
    node.finalized = { number: 1_000, hash: '0xfar' };
    await waitFor(() => store.state.finalized?.number === 20, { message: 'finality at the head' });
    replayFeed(store.entries);
  });

  it('warns when finality cannot be read while heads go on, and tells it when it can', async () => {
    warnings.length = 0;
    const { chain, node, store, reach } = run({ blockTimeMs: 10, height: 0 });
    node.isFinalityUnknown = true;
    await reach();
    chain.extend(20);
    await reach();
    await waitFor(() => warnings.includes('failed to read finality'), { message: 'a warning' });
    expect(store.state.finalized).toBeUndefined();
    node.isFinalityUnknown = false;
    await waitFor(() => store.state.finalized?.number === 18, { message: 'finality' });
  });

  it('looks at the head again when the node is final on another block', async () => {
    const { chain, node, store, reach } = run({ height: 0, blockTimeMs: 300 });
    await reach();
    chain.extend(5);
    node.push(chain.tip);
    await reach();
    chain.fork(3, 4);
    node.finalized = chain.at(chain.tip, 4);
    await reach();
    await waitFor(() => store.state.finalized?.hash === chain.at(chain.tip, 4)?.hash, {
      message: 'finality on the new branch',
    });
    replayFeed(store.entries);
  });

  it('ends when another replica took over, and closes the client', async () => {
    const wrap = (inner: FeedStore): FeedStore => ({
      ...inner,
      load: () => inner.load(),
      findReset: () => inner.findReset(),
      setStatus: (status, reason) => inner.setStatus(status, reason),
      readEntries: (afterSeq, limit) => inner.readEntries(afterSeq, limit),
      commit: () =>
        Promise.reject(
          new ShareLostError({ kind: 'ingestor.evm', share: 'eip155:1', owner: 'me', token: 1 }, 'gone'),
        ),
    });
    const { node, ended } = run({ wrap });
    expect(await ended).toBe('fenced');
    expect(node.isClosed).toBe(true);
  });

  it('ends at once when it is stopped, even while the node does not answer', async () => {
    const { node, reach, stopper, ended } = run({ blockTimeMs: 50 });
    await reach();
    node.failures = Number.MAX_SAFE_INTEGER;
    stopper.abort();
    expect(await ended).toBe('stopped');
    expect(node.isClosed).toBe(true);
  });
});
