// SPDX-License-Identifier: Apache-2.0
import { findBloomBlocks, type BloomHeader } from './find-blocks-of.ts';
import { computeLogsBloom } from './logs-bloom.ts';

const topic = (digits: string): string => `0x${digits.padStart(64, '0')}`;
const ALICE = topic('a1');
const bloomOf = (...topics: readonly string[]): string =>
  computeLogsBloom([{ logs: topics.map((each) => ({ address: '0x7c', topics: [each] })) as never }]);
const EMPTY = bloomOf();

/** Each of one transaction that ran code; numbers from 0. */
const page = (...blocks: readonly Partial<BloomHeader>[]): BloomHeader[] =>
  blocks.map((block, number) => ({
    number,
    logsBloom: EMPTY,
    gasUsed: 50_000n,
    transactionCount: 1,
    settledHeight: number,
    isAsynchronous: false,
    ...block,
  }));
const find = (blocks: readonly BloomHeader[], listed: readonly number[] = []) => [
  ...findBloomBlocks(blocks, [ALICE], new Set(listed)),
];

describe('findBloomBlocks', () => {
  const own = { logsBloom: bloomOf(ALICE) };
  const foreign = { logsBloom: bloomOf(topic('b0')) };

  it('names the blocks whose bloom has a topic, and no others', () => {
    expect(find(page(foreign, own, foreign, own))).toEqual([1, 3]);
  });

  it('names a block whose bloom has the bits by chance', () => {
    expect(find(page(foreign, { logsBloom: `0x${'ff'.repeat(256)}` }, foreign))).toEqual([1]);
  });

  it('takes an empty bloom for no log where the chain fills blooms afterwards', () => {
    expect(find(page({}, {}, foreign))).toEqual([]);
  });

  it('takes an empty bloom for nothing where the chain fills none, or none any more', () => {
    expect(find(page({}, {}))).toEqual([0, 1]);
    expect(find(page({}, foreign, {}, {}))).toEqual([2, 3]);
    expect(find(page({}, { logsBloom: '0x' }))).toEqual([0, 1]);
  });

  it('asks nothing about blocks that ran no code', () => {
    expect(
      find(page({ gasUsed: 42_000n, transactionCount: 2 }, { gasUsed: 0n, transactionCount: 0 })),
    ).toEqual([]);
  });

  it('names all blocks of a page where a listed one shows that the blooms are none', () => {
    expect(find(page(foreign, foreign, { transactionCount: 0 }), [0])).toEqual([0, 1]);
    expect(find(page(own, foreign, {}), [0])).toEqual([0, 2]);
  });

  it('goes by the header that settles a block, where blocks settle late', () => {
    const late = (settledHeight: number, more: Partial<BloomHeader> = {}) => ({
      isAsynchronous: true,
      settledHeight,
      ...more,
    });
    // The bloom of block 3 is that of blocks 1 and 2; nothing of the page settles blocks 3 and 4.
    const blocks = page(foreign, late(0, own), late(0), late(2, own), late(2, foreign));
    expect(find(blocks)).toEqual([1, 2, 3, 4]);
    const other = page(foreign, late(0, own), late(0), late(2, foreign), late(3, foreign), late(4, own));
    expect(find(other)).toEqual([4, 5]);
  });
});
