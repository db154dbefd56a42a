// SPDX-License-Identifier: Apache-2.0
import { WrongChainError } from '@chainwatch/chain-core';
import { ChainFollower, type FollowerOptions } from './chain-follower.ts';
import type { FeedEntry } from './feed.ts';
import { FakeChain, FakeNode } from './spec-support/fake-chain.ts';
import { FlakyFeedStore } from './spec-support/flaky-feed-store.ts';
import { MemoryFeedStore } from './spec-support/memory-feed-store.ts';
import { replayFeed } from './spec-support/replay-feed.ts';

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

async function create(height: number, options: Partial<FollowerOptions> = {}) {
  const chain = new FakeChain();
  chain.extend(height);
  const node = new FakeNode(chain);
  const memory = new MemoryFeedStore();
  const store = new FlakyFeedStore(memory);
  const published: FeedEntry[] = [];
  const follower = new ChainFollower({
    client: node,
    store,
    publisher: {
      publish: (entries) => void published.push(...entries),
    },
    log,
    signal: new AbortController().signal,
    chunkSize: 16,
    ...options,
  });
  await follower.load();
  return {
    chain,
    node,
    memory,
    store,
    follower,
    published,
    followHead: async () => follower.follow(await node.readHead()),
  };
}

const kinds = (entries: readonly FeedEntry[]) => entries.map(({ type, number }) => `${type} ${number}`);

describe('ChainFollower', () => {
  it('commits a pushed head that follows on ours without asking the node', async () => {
    const { chain, node, follower, published, followHead } = await create(5);
    await followHead();
    const before = node.calls;
    chain.extend(1);
    expect(await follower.followAll([chain.tip])).toEqual({ type: 'following' });
    expect(node.calls).toBe(before);
    expect(kinds(published)).toEqual(['block 5', 'block 6']);
  });

  it('commits a burst of heads at once, and fetches what a push left out', async () => {
    const { chain, node, memory, follower, followHead } = await create(1);
    await followHead();
    chain.extend(3);
    const before = node.calls;
    await follower.followAll(chain.branch(2));
    expect(node.calls).toBe(before);
    expect(memory.state.feedSeq).toBe(4);
    chain.extend(4);
    await follower.followAll([chain.tip]);
    expect(replayFeed(memory.entries).chain).toHaveLength(8);
  });

  it('announces numbers ahead of their headers when it is behind', async () => {
    const { chain, node, memory, followHead } = await create(1);
    await followHead();
    chain.extend(40);
    // The head is read, the headers are not.
    let calls = 0;
    node.beforeCall = () => {
      calls += 1;
      if (calls === 2) node.failures = 9;
    };
    await expect(followHead()).rejects.toThrow('did not answer');
    expect([...memory.announced]).toEqual(Array.from({ length: 40 }, (_, position) => position + 2));
  });

  it('waits on a lower head of another branch until a second endpoint agrees', async () => {
    const { chain, node, memory, followHead } = await create(20);
    await followHead();
    chain.extend(5);
    await followHead();
    chain.fork(4, 2);
    expect(await followHead()).toMatchObject({
      type: 'waiting',
      reason: expect.stringContaining('another branch'),
    });
    expect(memory.state.head?.number).toBe(25);
    node.agreeing = 2;
    expect(await followHead()).toEqual({ type: 'following' });
    expect(memory.state.head).toEqual({ number: 23, hash: chain.tip.hash });
  });

  it('takes a node that is merely behind for that', async () => {
    const { chain, node, memory, followHead } = await create(3);
    await followHead();
    chain.extend(30);
    await followHead();
    node.lag = 12;
    node.agreeing = 2;
    expect(await followHead()).toMatchObject({
      type: 'waiting',
      reason: 'the node is 12 blocks behind, at 21',
    });
    expect(memory.entries.some(({ type }) => type === 'reorg')).toBe(false);
  });

  it('keeps what it has while a node is below its start, although every node has that block', async () => {
    const { node, memory, followHead } = await create(50);
    await followHead();
    node.lag = 20;
    node.agreeing = 2;
    expect(await followHead()).toMatchObject({
      type: 'waiting',
      reason: expect.stringContaining('below block 50'),
    });
    expect(memory.entries.map(({ type, number }) => [type, number])).toEqual([['block', 50]]);
  });

  it('undoes everything and begins again at its start height when the branches part below it', async () => {
    const { chain, memory, followHead } = await create(50);
    await followHead();
    chain.extend(5);
    await followHead();
    chain.fork(30, 40);
    await followHead();
    const { chain: followed } = replayFeed(memory.entries);
    expect(followed).toEqual(chain.branch(50).map(({ number, hash }) => ({ number, hash })));
    expect(kinds(memory.entries).slice(6, 13)).toEqual([
      'reorg 55',
      'reorg 54',
      'reorg 53',
      'reorg 52',
      'reorg 51',
      'reorg 50',
      'block 50',
    ]);
  });

  it('tells when to resume after a reorg below finality, and sets finality back', async () => {
    const repairs: object[] = [];
    const { chain, memory, follower, followHead } = await create(0, {
      onRepair: (repair) => repairs.push(repair),
    });
    await followHead();
    chain.extend(300);
    await followHead();
    for (follower.setFinality(chain.at(chain.tip, 250)!); follower.hasFinality; )
      expect(await follower.commitFinality()).toBe(true);
    chain.fork(200, 201);
    await followHead();
    const undone = memory.entries.filter(({ type }) => type === 'reorg');
    expect(undone).toHaveLength(200);
    expect(new Set(undone.map(({ resumeSeq }) => resumeSeq))).toEqual(new Set([memory.state.feedSeq]));
    expect(memory.state.finalized?.number).toBe(100);
    expect(repairs).toEqual([{ depth: 200, isFinalityViolated: true }]);
    expect(memory.statuses).toContain('recovering');
  });

  it('follows a branch that comes back', async () => {
    const { chain, memory, followHead } = await create(10);
    await followHead();
    chain.extend(5);
    await followHead();
    const first = chain.tip;
    chain.fork(3, 3);
    await followHead();
    chain.tip = first;
    chain.extend(1);
    await followHead();
    expect(replayFeed(memory.entries).chain.at(-2)).toEqual({ number: 15, hash: first.hash });
  });

  it('does not drop its chain for a node of another one', async () => {
    const { chain, node, memory, followHead } = await create(10);
    await followHead();
    const other = new FakeChain();
    other.extend(30);
    chain.tip = { ...other.tip, hash: '0xother', parentHash: '0xunknown' };
    node.isWrongChain = true;
    await expect(followHead()).rejects.toThrow();
    chain.tip = { ...chain.tip, number: 11 };
    await expect(followHead()).rejects.toThrow(WrongChainError);
    expect(memory.entries).toHaveLength(1);
  });

  it('does not tell finality of a block that is not its own', async () => {
    const { chain, memory, follower, followHead } = await create(10);
    await followHead();
    chain.extend(5);
    await followHead();
    follower.setFinality({ number: 12, hash: '0xanother' });
    expect(await follower.commitFinality()).toBe(false);
    expect(memory.state.finalized).toBeUndefined();
  });

  it('tells much that became final at once in parts', async () => {
    const { chain, memory, follower, followHead } = await create(10);
    await followHead();
    follower.setFinality({ number: 10 });
    await follower.commitFinality();
    chain.extend(90);
    await followHead();
    const steps: unknown[] = [];
    for (follower.setFinality(chain.at(chain.tip, 98)!); follower.hasFinality; ) {
      expect(await follower.commitFinality()).toBe(true);
      steps.push(memory.state.finalized?.number);
    }
    expect(steps).toEqual([21, 31, 40, 48, 56, 64, 72, 80, 88, 96, 98]);
  });

  it('does not tell finality above its head or below its start', async () => {
    const { memory, follower, followHead } = await create(10);
    await followHead();
    for (const number of [9, 11]) {
      follower.setFinality({ number });
      expect(await follower.commitFinality()).toBe(true);
    }
    expect(memory.state.finalized).toBeUndefined();
    follower.setFinality({ number: 10 });
    await follower.commitFinality();
    expect(memory.state.finalized?.number).toBe(10);
  });

  it('publishes what a lost connection committed behind its back', async () => {
    const { chain, store, follower, published, followHead } = await create(1);
    await followHead();
    chain.extend(2);
    store.failNext = 'after';
    await expect(followHead()).rejects.toThrow('the connection was lost');
    expect(kinds(published)).toEqual(['block 1']);
    await follower.load();
    expect(kinds(published)).toEqual(['block 1', 'block 2', 'block 3']);
  });

  it('starts at the configured block, and waits for it while the chain is below', async () => {
    const { chain, memory, followHead } = await create(4, { startBlock: 6 });
    expect(await followHead()).toMatchObject({ type: 'waiting' });
    chain.extend(10);
    await followHead();
    expect(memory.state).toMatchObject({ startNumber: 6, head: { number: 14 } });
  });
});
