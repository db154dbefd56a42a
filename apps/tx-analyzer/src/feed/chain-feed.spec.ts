// SPDX-License-Identifier: Apache-2.0
import { BlockRing, ChainFeed } from './chain-feed.ts';
import { makeTransaction, SpecChain } from '../spec-world/spec-chain.ts';

describe('BlockRing', () => {
  it('keeps the last blocks within its bounds of blocks and transactions', () => {
    const chain = new SpecChain();
    const ring = new BlockRing();
    let tip = chain.make(undefined);
    for (let count = 0; count < 300; count += 1) ring.push((tip = chain.make(tip)));
    expect(ring.from(0)).toHaveLength(256);
    expect(ring.tip).toBe(tip);
    expect(ring.firstNumber).toBe(tip.number - 255);
    const many = Array.from({ length: 20_000 }, (_, index) => makeTransaction(String(index)));
    for (let count = 0; count < 2; count += 1) ring.push((tip = { ...chain.make(tip), transactions: many }));
    expect(ring.from(0)).toEqual([tip]);
  });

  it('keeps fewer blocks where they hold much of their answers', () => {
    const chain = new SpecChain();
    const ring = new BlockRing();
    let tip = chain.make(undefined);
    for (let count = 0; count < 20; count += 1)
      ring.push((tip = { ...chain.make(tip), byteLength: 4 * 1024 * 1024 }));
    expect(ring.from(0)).toHaveLength(8);
    const many = Array.from({ length: 29_000 }, (_, index) => makeTransaction(String(index)));
    ring.popOrphan(tip.hash);
    ring.push({ ...chain.make(tip), transactions: many });
    expect(ring.from(0)).toHaveLength(8);
    ring.push({ ...chain.make(tip), transactions: many });
    expect(ring.from(0)).toHaveLength(1);
  });

  it('removes an orphan only when it is the tip', () => {
    const chain = new SpecChain();
    const ring = new BlockRing();
    const one = chain.make(undefined);
    const two = chain.make(one);
    ring.push(one);
    ring.push(two);
    ring.popOrphan(one.hash);
    expect(ring.tip).toBe(two);
    ring.popOrphan(two.hash);
    expect(ring.tip).toBe(one);
  });
});

describe('ChainFeed', () => {
  const openFeed = (blockTimeMs: number): ChainFeed =>
    new ChainFeed({
      sql: {} as never,
      chainGid: 'eip155:1',
      network: { blockTimeMs },
      options: { prefetchWindow: 1, groupBlocksMax: 1, groupTransactionsMax: 1, sweepMs: 1 },
      readBody: () => new Promise(() => undefined),
      onChange: () => undefined,
    });

  /** The greatest number of entries after the cursor with which the chain is not catching up. */
  function findLimit(feed: ChainFeed): number {
    feed.resume({ seq: 0 });
    for (let seq = 1; ; seq += 1) {
      feed.push({
        type: 'block',
        seq,
        number: seq,
        hash: `${seq}`,
        parent_hash: `${seq - 1}`,
        timestamp: 1,
      } as never);
      if (feed.isFarBehind({ seq: 0 })) return seq - 1;
    }
  }

  it.each([
    [12_000, 6],
    [2_000, 6],
    [450, 12],
    [200, 25],
  ])('is catching up at %i ms a block with more than %i entries', (blockTimeMs, limit) => {
    expect(findLimit(openFeed(blockTimeMs))).toBe(limit);
  });

  it('measures the time between the blocks that pass', () => {
    const chain = new SpecChain();
    const feed = openFeed(2_000);
    let tip = chain.make(undefined);
    for (let count = 0; count < 100; count += 1) {
      tip = { ...chain.make(tip), timestamp: 1_790_000_000 + Math.floor(count / 5) };
      feed.finish({ entries: [], orphans: [], blocks: [{ entry: {} as never, block: tip }] }, { seq: 0 }, 0);
    }
    expect(findLimit(feed)).toBe(25);
  });
});
