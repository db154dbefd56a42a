import type { Block } from '@chainwatch/chain-core';
import { BodyPrefetcher } from './body-prefetcher.ts';
import type { FeedEntry } from './feed-entry.ts';

const entry: FeedEntry = { seq: 1, type: 'block', number: 7, hash: '0x7', parentHash: '0x6', timestamp: 0 };
const block: Block = { number: 7, hash: '0x7', parentHash: '0x6', timestamp: 0, transactions: [], balanceChanges: [], touchedAssets: [] };

describe('BodyPrefetcher', () => {
  it('tells of a body not before it can be found: who is woken by it looks once', async () => {
    const seen = await new Promise((resolve) => {
      const bodies: BodyPrefetcher = new BodyPrefetcher(async () => block, 1, () => resolve(bodies.find(1)));
      bodies.prefetch([entry]);
    });
    expect(seen).toMatchObject({ isReady: true, block });
  });

  it('tells of trouble, too', async () => {
    const seen = await new Promise((resolve) => {
      const bodies: BodyPrefetcher = new BodyPrefetcher(() => Promise.reject(new Error('gone')), 1, () => resolve(bodies.find(1)));
      bodies.prefetch([entry]);
    });
    expect(seen).toMatchObject({ isReady: false, trouble: 'Error: gone' });
  });
});
