// SPDX-License-Identifier: Apache-2.0
import { InvalidProofError } from './proof.ts';
import { bytesAt, intAt, readFields } from './verify-signed-merkle.ts';

const read = (...bytes: number[]) => readFields('item', Uint8Array.from(bytes));

it('reads numbers and bytes by their fields', () => {
  const fields = read(0x08, 0x96, 0x01, 0x12, 0x02, 0x41, 0x42);
  expect([intAt(fields, 1), [...bytesAt(fields, 2)], intAt(fields, 3)]).toEqual([150n, [0x41, 0x42], 0n]);
  // Minus one, as a 64-bit number.
  expect(intAt(read(0x08, ...Array<number>(9).fill(0xff), 0x01), 1)).toBe(2n ** 64n - 1n);
});

/** Parsers cut or skip these, and differ in how: one would show another amount than the chain moves. */
it.each([
  ['a tag of more than 32 bits', [0x18, 0x05, 0x98, ...Array<number>(8).fill(0x80), 0x01, 0x01]],
  ['a tag in a longer form', [0x98, 0x80, 0x00, 0x01]],
  ['a number in a longer form', [0x18, 0x85, 0x00]],
  ['a number of more than 64 bits', [0x18, ...Array<number>(9).fill(0xff), 0x7f]],
  ['a number of eleven bytes', [0x18, ...Array<number>(10).fill(0x80), 0x01]],
  ['the field 0', [0x00, 0x01]],
  ['a length of more than 32 bits', [0x12, ...Array<number>(5).fill(0xff), 0x7f]],
  ['bytes that end too early', [0x12, 0x05, 0x01]],
  ['a kind of field that no message has', [0x1d, 0, 0, 0, 0]],
])('refuses %s', (_, bytes) => {
  expect(() => read(...bytes)).toThrow(InvalidProofError);
});

it('refuses a field that stands twice, and one of another kind', () => {
  const twice = read(0x18, 0x05, 0x18, 0x06);
  expect(() => intAt(twice, 3)).toThrow('field 3 of a message stands twice');
  expect(() => bytesAt(read(0x18, 0x05), 3)).toThrow(InvalidProofError);
  expect(() => intAt(read(0x1a, 0x01, 0x05), 3)).toThrow(InvalidProofError);
});
