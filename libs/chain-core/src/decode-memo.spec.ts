// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decodeMemo } from './untrusted-text.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');

it.each<[string, readonly Uint8Array[], string | undefined]>([
  ['nothing', [], undefined],
  ['no bytes', [utf8('')], undefined],
  ['a text', [utf8('order 1042')], 'order 1042'],
  ['characters of several bytes', [utf8('naïve 💸 通貨')], 'naïve 💸 通貨'],
  ['line ends and tabs', [utf8('a\tb\r\nc')], 'a\tb\r\nc'],
  ['a zero byte', [utf8('a\0')], undefined],
  ['an escape', [utf8('\u001b[31m')], undefined],
  ['a C1 control', [utf8('\u0085')], undefined],
  ['no UTF-8', [Buffer.from('aa21a9ed', 'hex')], undefined],
  ['half a character', [utf8('é').subarray(0, 1)], undefined],
  ['an overlong zero', [Buffer.from('c080', 'hex')], undefined],
  ['a surrogate', [Buffer.from('eda080', 'hex')], undefined],
  ['texts around bytes', [utf8('a'), Buffer.from('ff', 'hex'), utf8('b')], 'a\nb'],
  ['as much as fits', [utf8('x'.repeat(1_024))], 'x'.repeat(1_024)],
  ['a byte more', [utf8('x'.repeat(1_025))], undefined],
  ['too much in two', [utf8('x'.repeat(1_000)), utf8('y'.repeat(24))], undefined],
])('%s', (_name, parts, expected) => {
  expect(decodeMemo(parts)).toBe(expected);
});

it('gives back a text as it was, or nothing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1_100 }), (bytes) => {
      const memo = decodeMemo([bytes]);
      if (memo !== undefined) expect(Buffer.from(memo, 'utf8').equals(bytes)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }), (text) => {
      const memo = decodeMemo([utf8(text)]);
      expect([text, undefined]).toContain(memo);
      if (memo === undefined) expect(text).toMatch(/\p{Cc}|\p{Cs}/u);
    }),
  );
});
