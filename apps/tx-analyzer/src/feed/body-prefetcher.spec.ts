// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { BodyPrefetcher } from './body-prefetcher.ts';
import type { FeedEntry } from '../model/feed-entry.ts';
import { makeTransaction } from '../spec-world/spec-chain.ts';

const entry: FeedEntry = {
  seq: 1,
  type: 'block',
  number: 7,
  hash: '0x7',
  parentHash: '0x6',
  timestamp: 0,
  seenAtMs: 0,
};
const block: Block = {
  number: 7,
  hash: '0x7',
  parentHash: '0x6',
  timestamp: 0,
  transactions: [],
  balanceChanges: [],
  touchedAssets: [],
};

const many = Array.from({ length: 2_000 }, (_, index) => makeTransaction(String(index)));

describe('BodyPrefetcher', () => {
  it('tells of a body not before it can be found: who is woken by it looks once', async () => {
    const seen = await new Promise((resolve) => {
      const bodies: BodyPrefetcher = new BodyPrefetcher(
        async () => block,
        1,
        () => resolve(bodies.find(1)),
      );
      bodies.prefetch([entry]);
    });
    expect(seen).toMatchObject({ isReady: true, block });
  });

  it('tells of trouble, too', async () => {
    const seen = await new Promise((resolve) => {
      const bodies: BodyPrefetcher = new BodyPrefetcher(
        () => Promise.reject(new Error('gone')),
        1,
        () => resolve(bodies.find(1)),
      );
      bodies.prefetch([entry]);
    });
    expect(seen).toMatchObject({ isReady: false, trouble: 'Error: gone' });
  });

  it('reads sixteen ahead while it does not know how large they are', () => {
    let started = 0;
    const bodies = new BodyPrefetcher(
      () => ((started += 1), new Promise(() => undefined)),
      40,
      () => undefined,
    );
    bodies.prefetch(Array.from({ length: 300 }, (__, index) => ({ ...entry, seq: index + 1 })));
    expect(started).toBe(16);
  });

  it.each([
    ['small blocks: the window', { byteLength: 400_000 }, 40],
    ['blocks of 4 MB: what fits into its memory', { byteLength: 4 * 1024 * 1024 }, 16],
    ['many transactions: what fits into its memory', { transactions: many }, 16],
    ['huge blocks: eight', { byteLength: 100 * 1024 * 1024 }, 8],
  ])('reads ahead of %s', async (_, size, expected) => {
    let started = 0;
    const read = async (): Promise<Block> => ((started += 1), { ...block, ...size });
    const bodies = new BodyPrefetcher(read, 40, () => undefined);
    const entries = Array.from({ length: 300 }, (__, index) => ({ ...entry, seq: index + 1 }));
    for (let done = 0; done < 200; done += 1) {
      bodies.prefetch(entries.slice(done));
      await bodies.find(done + 1)?.ready;
      bodies.dropThrough(done + 1);
    }
    started = 0;
    bodies.dropThrough(300);
    bodies.prefetch(entries);
    expect(started).toBe(expected);
  });
});
