// SPDX-License-Identifier: Apache-2.0
import type { Random } from '../random.ts';
import { Extremes, TEXTS } from './hostile-values.ts';

/** Memos as bytes: every text of the list, cut to what the chain takes, and bytes that are none. */
export function createMemos(random: Random, bytesMax: number): Extremes<Buffer> {
  const more = [
    Buffer.alloc(bytesMax, 0),
    Buffer.alloc(bytesMax, 0x41),
    Buffer.alloc(bytesMax, 0xff),
    Buffer.from('\u0000memo\u0000'),
  ];
  return new Extremes(
    random,
    [...TEXTS, ...more].map((text) => text.subarray(0, bytesMax)).filter(({ length }) => length > 0),
  );
}
