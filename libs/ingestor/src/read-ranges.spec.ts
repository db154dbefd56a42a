// SPDX-License-Identifier: Apache-2.0
import type { BlockHeader } from '@chainwatch/chain-core';
import { readRanges } from './read-headers.ts';

const header = (number: number): BlockHeader => ({
  number,
  hash: `h${number}`,
  parentHash: `h${number - 1}`,
  timestamp: number,
});

describe('readRanges', () => {
  it.each([
    [256, [16, 32, 64, 128, 256, 256, 248]],
    [40, [16, 32, ...Array.from({ length: 23 }, () => 40), 32]],
    [8, Array.from({ length: 125 }, () => 8)],
  ])('begins with few headers and grows to chunks of %i', async (size, lengths) => {
    const asked: number[] = [];
    const client = {
      readHeaders: async (from: number, to: number) => (
        asked.push(to - from + 1), Array.from({ length: to - from + 1 }, (_, index) => header(from + index))
      ),
    };
    const read: number[] = [];
    for await (const headers of readRanges(client, {
      from: 5,
      to: 1_004,
      size,
      concurrency: 4,
      signal: new AbortController().signal,
    }))
      read.push(...headers.map(({ number }) => number));
    expect(asked).toEqual(lengths);
    expect(read).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 5));
  });
});
