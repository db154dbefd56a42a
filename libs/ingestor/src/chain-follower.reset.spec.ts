// SPDX-License-Identifier: Apache-2.0
import { ChainFollower } from './chain-follower.ts';
import type { ChainReset, FeedEntry } from './feed.ts';
import { FakeChain, FakeNode } from './spec-support/fake-chain.ts';
import { FlakyFeedStore } from './spec-support/flaky-feed-store.ts';
import { MemoryFeedStore } from './spec-support/memory-feed-store.ts';
import { replayFeed } from './spec-support/replay-feed.ts';

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const kinds = (entries: readonly FeedEntry[]) => entries.map(({ type, number }) => `${type} ${number}`);

/** A chain that is followed from its block `from` on to its head. */
async function follow(from: number, height: number) {
  const chain = new FakeChain();
  chain.extend(from);
  const node = new FakeNode(chain);
  const memory = new MemoryFeedStore();
  const store = new FlakyFeedStore(memory);
  let isInterrupted = false;
  const stop = new AbortController();
  const create = async () => {
    const follower = new ChainFollower({
      client: node,
      store,
      publisher: { publish: ignore },
      log,
      signal: stop.signal,
      chunkSize: 16,
      isInterrupted: () => isInterrupted,
    });
    await follower.load();
    return follower;
  };
  const follower = await create();
  const followHead = async (by = follower) => by.follow(await node.readHead());
  await followHead();
  chain.extend(height - from);
  await followHead();
  const reset = (asked: Omit<ChainReset, 'id'> = {}, by = follower) => {
    memory.reset = { id: 'reset', ...asked };
    return by.reset(memory.reset);
  };
  return {
    chain,
    node,
    memory,
    store,
    follower,
    create,
    followHead,
    reset,
    stop,
    interrupt: (is: boolean) => (isInterrupted = is),
  };
}

describe('a reset', () => {
  it('is what lets a chain go on whose node began anew below what we had, from block 1 where it is below our start', async () => {
    const { chain, memory, followHead, reset } = await follow(50, 90);
    chain.beginAnew(7);
    expect(await followHead()).toMatchObject({
      type: 'waiting',
      reason: expect.stringContaining('reset the chain'),
    });
    const before = memory.entries.length;
    await reset();
    expect(kinds(memory.entries).slice(before)).toEqual(
      Array.from({ length: 41 }, (_, position) => `reorg ${90 - position}`),
    );
    expect(memory.state).toEqual({ feedSeq: before + 41, startNumber: 50 });
    expect(await followHead()).toEqual({ type: 'following' });
    expect(memory.state.startNumber).toBe(1);
    expect(replayFeed(memory.entries).chain).toEqual(
      chain.branch(1).map(({ number, hash }) => ({ number, hash })),
    );
  });

  it('begins where the chain began, or at the block that is asked for below', async () => {
    const { chain, memory, followHead, reset } = await follow(20, 40);
    await reset();
    await followHead();
    expect(replayFeed(memory.entries).chain).toEqual(
      chain.branch(20).map(({ number, hash }) => ({ number, hash })),
    );
    await reset({ fromBlock: 12 });
    await followHead();
    expect(memory.state.startNumber).toBe(12);
    expect(replayFeed(memory.entries).chain).toEqual(
      chain.branch(12).map(({ number, hash }) => ({ number, hash })),
    );
  });

  it('keeps what is below its block', async () => {
    const { chain, memory, followHead, reset } = await follow(20, 40);
    await reset({ fromBlock: 35 });
    expect(memory.state.head?.number).toBe(34);
    await followHead();
    expect(kinds(memory.entries).slice(-12)).toEqual([
      'reorg 40',
      'reorg 39',
      'reorg 38',
      'reorg 37',
      'reorg 36',
      'reorg 35',
      'block 35',
      'block 36',
      'block 37',
      'block 38',
      'block 39',
      'block 40',
    ]);
    expect(memory.state).toMatchObject({ startNumber: 20, head: { number: 40, hash: chain.tip.hash } });
  });

  it('sets finality back, and holds what is told until all is undone', async () => {
    const { chain, memory, follower, reset } = await follow(20, 80);
    for (follower.setFinality(chain.at(chain.tip, 70)!); follower.hasFinality; )
      await follower.commitFinality();
    await reset({ fromBlock: 30 });
    expect(memory.state.finalized?.number).toBe(29);
    const undone = memory.entries.filter(({ type }) => type === 'reorg');
    expect(undone).toHaveLength(51);
    expect(new Set(undone.map(({ resumeSeq }) => resumeSeq))).toEqual(new Set([memory.state.feedSeq]));
  });

  it('is done in bounded steps, and goes on where an owner was killed between them', async () => {
    const { memory, store, create, reset, chain, followHead } = await follow(1, 100);
    const before = memory.state.feedSeq;
    let commits = 0;
    const commit = store.commit.bind(store);
    store.commit = async (batch) => {
      commits += 1;
      expect(batch.entries.length).toBeLessThanOrEqual(16);
      if (commits === 3) throw new Error('killed');
      await commit(batch);
    };
    await expect(reset()).rejects.toThrow('killed');
    expect(memory.state.feedSeq).toBe(before + 32);
    const next = await create();
    await next.reset((await store.findReset())!);
    expect(await store.findReset()).toBeUndefined();
    expect(memory.state).toEqual({ feedSeq: before + 100, startNumber: 1 });
    expect(new Set(memory.entries.slice(before).map(({ resumeSeq }) => resumeSeq))).toEqual(
      new Set([before + 100]),
    );
    store.commit = commit;
    await followHead(next);
    expect(replayFeed(memory.entries).chain.at(-1)?.hash).toBe(chain.tip.hash);
  });

  it('ends between two steps when the owner is told to stop', async () => {
    const { memory, store, reset, stop } = await follow(1, 100);
    const commit = store.commit.bind(store);
    store.commit = async (batch) => {
      stop.abort();
      await commit(batch);
    };
    await expect(reset()).rejects.toThrow('aborted');
    expect(memory.state.head?.number).toBe(84);
    expect(await store.findReset()).toBeDefined();
  });

  it('that is done already is not done again', async () => {
    const { memory, follower, reset, followHead } = await follow(1, 20);
    await reset();
    await followHead();
    const before = memory.entries.length;
    await follower.reset({ id: 'reset' });
    expect(memory.entries).toHaveLength(before);
  });

  it('does not wait for the end of a long way to the head', async () => {
    const { chain, memory, node, followHead, reset, interrupt } = await follow(1, 3);
    chain.extend(500);
    const told = await node.readHead();
    node.beforeCall = () => interrupt(memory.state.feedSeq > 20);
    expect(await followHead()).toMatchObject({ type: 'waiting' });
    expect(memory.state.head!.number).toBeLessThan(told.number - 300);
    interrupt(false);
    node.beforeCall = ignore;
    await reset({ fromBlock: 2 });
    await followHead();
    expect(memory.state.head?.hash).toBe(chain.tip.hash);
  });
});
