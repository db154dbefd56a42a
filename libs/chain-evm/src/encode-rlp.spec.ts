// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import fc from 'fast-check';
import { data, encodeRlp, quantity } from './encode-rlp.ts';

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

describe('RLP', () => {
  it('of lists in lists is that of another library', () => {
    type Item = `0x${string}` | Item[];
    const { list } = fc.letrec<{ item: Item; list: Item[] }>((tie) => ({
      item: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array({ maxLength: 70 }).map((bytes) => data(hexOf(bytes))),
        tie('list'),
      ),
      list: fc.array(tie('item'), { maxLength: 6 }),
    }));
    fc.assert(fc.property(list, (items) => expect(hexOf(encodeRlp(items))).toBe(hexOf(RLP.encode(items)))));
  });

  it('of a type begins with it', () => {
    expect(hexOf(encodeRlp(['0x01', '0x'], 2))).toBe('0x02c20180');
  });

  it('holds numbers without leading zeros, however the node pads them', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.nat(5), (value, zeros) => {
        const padded = `0x${'0'.repeat(zeros)}${value.toString(16)}`;
        expect(hexOf(encodeRlp([quantity(padded)]))).toBe(hexOf(RLP.encode([value])));
      }),
    );
  });

  it.each([null, undefined, '0x'])('holds %s as the empty text', (hex) => {
    expect([data(hex), quantity(hex)]).toEqual(['0x', '0x']);
  });

  it.each(['0xzz', '0x123', '0x12345g', '12', '', 5, {}])('refuses %j as data', (hex) => {
    expect(() => data(hex as string)).toThrow('expected hexadecimal digits');
  });

  it.each(['0xzz', '0x12345g', '12', '', '0x 1', 5, {}])('refuses %j as a number', (hex) => {
    expect(() => quantity(hex as string)).toThrow('expected hexadecimal digits');
  });
});
