// SPDX-License-Identifier: Apache-2.0
import { planAdvance } from './plan-batches.ts';

const state = { feedSeq: 1, head: { number: 10, hash: 'j' } };
const header = (number: number, hash: string, parentHash: string) => ({
  number,
  hash,
  parentHash,
  timestamp: 0,
});

describe('planAdvance', () => {
  it.each([
    ['nothing for the head it has', header(10, 'j', 'i'), { type: 'none' }],
    ['an extension for a child of the head', header(11, 'k', 'j'), { type: 'extend' }],
    ['an extension for a child behind skipped slots', header(14, 'n', 'j'), { type: 'extend' }],
    ['a repair for a block just above on another branch', header(11, 'k2', 'j2'), { type: 'repair' }],
    ['a fetch of what lies between', header(13, 'm', 'l'), { type: 'fetch', from: 11, to: 13 }],
    ['a comparison for another block at the same height', header(10, 'j2', 'i'), { type: 'compare' }],
    ['a comparison for a lower block', header(9, 'i', 'h'), { type: 'compare' }],
    [
      'a comparison for a block that calls our head its parent from below',
      header(9, 'x', 'j'),
      { type: 'compare' },
    ],
  ])('plans %s', (_, head, expected) => {
    expect(planAdvance(state, head)).toEqual(expected);
  });

  it('starts at the head, or at the start block once the chain has it', () => {
    const head = header(10, 'j', 'i');
    expect(planAdvance({ feedSeq: 0 }, head)).toEqual({ type: 'start', number: undefined });
    expect(planAdvance({ feedSeq: 0 }, head, 10)).toEqual({ type: 'start', number: undefined });
    expect(planAdvance({ feedSeq: 0 }, head, 4)).toEqual({ type: 'start', number: 4 });
    expect(planAdvance({ feedSeq: 0 }, head, 11)).toEqual({ type: 'none' });
    expect(planAdvance(state, header(11, 'k', 'j'), 99)).toEqual({ type: 'extend' });
  });
});
