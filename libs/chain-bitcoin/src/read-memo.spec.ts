// SPDX-License-Identifier: Apache-2.0
import { payments, script as libraryScript } from 'bitcoinjs-lib';
import { readMemo } from './decode-transaction.ts';

const read = (...scripts: readonly string[]): string | undefined =>
  readMemo(scripts.map((matchKey) => ({ matchKey, amountRaw: 0n })));
const embed = (...data: readonly string[]): string =>
  Buffer.from(payments.embed({ data: data.map((text) => Buffer.from(text)) }).output!).toString('hex');
const hexOf = (text: string): string => Buffer.from(text).toString('hex');

it.each([1, 75, 76, 80, 255, 256, 1_024])('reads a push of %d bytes as bitcoinjs-lib writes it', (length) => {
  expect(read(embed('m'.repeat(length)))).toBe('m'.repeat(length));
});

it('reads pushes as one text, and outputs as lines', () => {
  expect(read(embed('order ', '7'), '76a914', embed('thanks'))).toBe('order 7\nthanks');
});

it('reads a length of four bytes', () => {
  expect(read(`6a4e05000000${hexOf('hello')}`)).toBe('hello');
});

it.each([
  ['no output', []],
  ['a payment', [`0014${'00'.repeat(20)}`]],
  ['a witness commitment', [`6a24aa21a9ed${'ab'.repeat(32)}`]],
  ['nothing behind it', ['6a']],
  ['a number, as runes have', [`6a5d05${hexOf('hello')}`]],
  ['a push that is cut short', [`6a06${hexOf('hello')}`]],
  ['a length that is cut short', ['6a4d05']],
  ['another script', [`51${hexOf('hello')}`]],
  ['too much', [embed('m'.repeat(1_025))]],
])('finds none in %s', (_name, scripts) => {
  expect(read(...scripts)).toBeUndefined();
});

it('reads only scripts that begin with OP_RETURN', () => {
  const other = Buffer.from(libraryScript.fromASM(`OP_1 OP_RETURN ${hexOf('hello')}`)).toString('hex');
  expect(read(other)).toBeUndefined();
});
