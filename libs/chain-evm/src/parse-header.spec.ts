// SPDX-License-Identifier: Apache-2.0
import { toBlockHeader } from './parse-header.ts';
import type { RawHeader } from './raw-block.ts';

const SECOND = 1_795_352_913;
const header = (members: Partial<RawHeader>): RawHeader =>
  ({
    number: '0x10',
    hash: `0x${'1'.repeat(64)}`,
    parentHash: `0x${'2'.repeat(64)}`,
    timestamp: `0x${SECOND.toString(16)}`,
    mixHash: `0x${'0'.repeat(64)}`,
    ...members,
  }) as RawHeader;
const ms = (part: number): string => `0x${(SECOND * 1_000 + part).toString(16)}`;

describe('the milliseconds of a header', () => {
  it.each([
    ['of BSC', { mixHash: `0x${(450).toString(16).padStart(64, '0')}` }],
    ['of Avalanche', { timestampMilliseconds: ms(450), mixHash: undefined }],
    ['of Base', { timestampMs: ms(450), mixHash: `0x${'9a'.repeat(32)}` }],
  ])('%s are told', (_name, members) => {
    expect(toBlockHeader(header(members))).toMatchObject({
      timestamp: SECOND,
      timestampMs: SECOND * 1_000 + 450,
    });
  });

  it.each([
    ['a random mixHash', { mixHash: `0x${'9a'.repeat(32)}` }],
    ['no mixHash', { mixHash: null }],
    ['one that is no number', { mixHash: '0x' }],
    ['the full second', { timestampMs: ms(0) }],
    ['another second', { timestampMs: ms(5_000), timestampMilliseconds: ms(-200) }],
    ['no hexadecimal', { timestampMs: 'soon' }],
  ])('are not told by %s', (_name, members) => {
    expect(toBlockHeader(header(members))).toEqual({
      number: 16,
      hash: `0x${'1'.repeat(64)}`,
      parentHash: `0x${'2'.repeat(64)}`,
      timestamp: SECOND,
    });
  });
});
