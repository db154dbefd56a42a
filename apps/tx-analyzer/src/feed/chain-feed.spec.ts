import { BlockRing } from './chain-feed.ts';
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
