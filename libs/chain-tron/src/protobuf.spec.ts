// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { bytesOf, int32Of, intOf, readFields, type Fields } from './protobuf.ts';
import vectors from './vectors/protobuf.json' with { type: 'json' };

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** The lower 7 bits of each group, with the continuation that it needs; `size` of 10 at most. */
function spread(value: bigint, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++)
    bytes[at] = Number((value >> BigInt(7 * at)) & 0x7fn) | (at + 1 < size ? 0x80 : 0);
  return bytes;
}

/** A number of 32 bits in any of the forms that Java reads as the same: longer than it needs, with anything above bit 31. */
const loose32 = (value: number): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.bigInt(0n, 2n ** 38n - 1n), fc.integer({ min: 5, max: 10 }), fc.boolean())
    .map(([above, size, isShort]) => {
      const least = Math.max(1, Math.ceil(value.toString(2).length / 7));
      return isShort
        ? spread(BigInt(value), least)
        : spread(BigInt(value) | (BigInt.asUintN(7 * size - 32, above) << 32n), size);
    });

const field = fc.integer({ min: 1, max: 40 }).chain((number) =>
  fc.oneof(
    fc
      .tuple(loose32(number * 8), fc.bigInt(0n, 2n ** 63n - 1n))
      .map(([key, value]) => ({ number, value, bytes: Buffer.concat([key, spread(value, 9)]) })),
    fc.uint8Array({ maxLength: 200 }).chain((value) =>
      fc.tuple(loose32(number * 8 + 2), loose32(value.length)).map(([key, length]) => ({
        number,
        value: Buffer.from(value),
        bytes: Buffer.concat([key, length, value]),
      })),
    ),
    loose32(number * 8 + 5).map((key) => ({
      number,
      value: undefined,
      bytes: Buffer.concat([key, hex('01020304')]),
    })),
  ),
);

const plain = (fields: Fields) =>
  [...fields].map(([number, values]) => [number, values.map((value) => value.toString())]);

describe('a message is read as Java reads it', () => {
  it('whatever form its keys and lengths have', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), (made) => {
        const expected = new Map<number, (bigint | Buffer)[]>();
        for (const { number, value } of made) {
          if (value === undefined) continue;
          expected.set(number, [...(expected.get(number) ?? []), value]);
        }
        expect(plain(readFields(Buffer.concat(made.map(({ bytes }) => bytes))))).toEqual(plain(expected));
      }),
    );
  });

  it.each<[string, string, bigint]>([
    ['the last value of a field, under a key of 10 bytes', `18808080808001 98${'80'.repeat(8)}01 01`, 1n],
    ['a key with a bit above the 31st', '1801988080801002', 2n],
    ['the value of its own wire type alone', '18051a0109', 5n],
    ['bit 63 of ten bytes, whatever the tenth holds', '18ffffffffffffffffff00', -1n],
    ['a negative number', '18ffffffffffffffffff01', -1n],
    ['a number that is longer than it needs', '1885808000', 5n],
  ])('%s', (_name, bytes, value) => {
    expect(intOf(readFields(hex(bytes)), 3)).toBe(value);
  });

  it('a length counts by its lower 32 bits', () => {
    expect(bytesOf(readFields(hex('0a8280808010abcd')), 1)).toEqual(hex('abcd'));
  });

  it('an enumeration by its lower 32 bits, signed', () => {
    const read = (bytes: string): number => int32Of(readFields(hex(bytes)), 1);
    expect([read('088180808010'), read('08ffffffff0f'), read('08ffffffffffffffffff01')]).toEqual([1, -1, -1]);
  });

  it.each([
    ['a field 0', '0005'],
    ['a field 0 above the 32nd bit', '808080801005'],
    ['a negative length', '0affffffff0f'],
    ['a length beyond its end', '0a0201'],
    ['a number of 11 bytes', '18ffffffffffffffffffff01'],
    ['an end within a number', '1880'],
    ['the end of a group that did not begin', '0c'],
    ['a group without an end', '0b0801'],
    ['the end of another group', '0b14'],
    ['a wire type 6', '0e'],
    ['groups in each other, too deep', `${'0b'.repeat(101)}${'0c'.repeat(101)}`],
  ])('is refused with %s', (_name, bytes) => {
    expect(() => readFields(hex(bytes))).toThrow(IncompleteBlockError);
  });

  it('groups are skipped, as deep as Java goes', () => {
    const deep = `${'0b'.repeat(100)}${'0c'.repeat(100)}`;
    expect(plain(readFields(hex(`0b0801130a020c0c140c${deep}1005`)))).toEqual([[2, ['5']]]);
  });
});

// vectors/protobuf.json: what `UnknownFieldSet.parseFrom` of protobuf-java 4.32.1 reads in random messages, of each field its
// numbers and its bytes.
describe('protobuf for Java', () => {
  const show = (bytes: Buffer): string => {
    const fields = [...readFields(bytes)].sort(([one], [other]) => one - other);
    const told = fields.flatMap(([number, values]) => [
      ...values.filter((value) => typeof value === 'bigint').map((value) => `${number}=${value}`),
      ...values
        .filter((value) => typeof value === 'object')
        .map((value) => `${number}:${value.toString('hex')}`),
    ]);
    return told.join(' ');
  };

  it.each(Object.entries(vectors))('reads %s so', (bytes, told) => {
    if (told === 'refused') expect(() => show(hex(bytes))).toThrow(IncompleteBlockError);
    else expect(show(hex(bytes))).toBe(told);
  });
});
