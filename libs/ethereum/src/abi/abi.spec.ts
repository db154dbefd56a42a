// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { encodeAbiParameters } from 'viem';
import { decodeText, decodeUint, encodeBalanceOf } from './abi.ts';

const bytes = (min: number, max: number): fc.Arbitrary<`0x${string}`> =>
  fc
    .uint8Array({ minLength: min, maxLength: max })
    .map((value) => `0x${Buffer.from(value).toString('hex')}` as const);

test('a call asks for the balance of an address', () => {
  expect(encodeBalanceOf('0xa614f803b6fd780986a42c78ec9c7f77e6ded13c')).toBe(
    `0x70a08231${'0'.repeat(24)}a614f803b6fd780986a42c78ec9c7f77e6ded13c`,
  );
});

describe('decodeText', () => {
  const encode = (text: string): string => encodeAbiParameters([{ type: 'string' }], [text]);

  it('reads a string, and bytes32', () => {
    expect(decodeText(encode('Tether USD'))).toBe('Tether USD');
    expect(decodeText(`0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}`)).toBe('MKR');
  });

  it('reads the recorded name of the token 0xf763be8b (ethereum-etl, token_with_invalid_data)', () => {
    const recorded = `0x${'20'.padStart(64, '0')}${'06'.padStart(64, '0')}${'455448'.padEnd(64, '0')}`;
    expect(decodeText(recorded)).toBe('ETH');
  });

  it('cuts long texts and takes out what cannot be shown or stored', () => {
    expect(decodeText(encode('x'.repeat(1000)))).toHaveLength(128);
    expect(decodeText(encode('a\u0000b\u202ec\n'))).toBe('abc');
    const invalid = `0x${'20'.padStart(64, '0')}${'02'.padStart(64, '0')}${'c328'.padEnd(64, '0')}`;
    expect(decodeText(invalid)).toBe('\ufffd(');
  });

  it('takes no text of megabytes', () => {
    expect(
      decodeText(
        `0x${'20'.padStart(64, '0')}${(5_000_000).toString(16).padStart(64, '0')}${'41'.repeat(5_000_000)}`,
      ),
    ).toBeUndefined();
  });

  it.each(['0x', '0x12', undefined, `0x${'f'.repeat(128)}`, `0x${'20'.padStart(64, '0')}${'f'.repeat(64)}`])(
    'does not read %s',
    (result) => {
      expect(decodeText(result)).toBeUndefined();
    },
  );

  it('never throws, and gives no more than 128 characters', () => {
    fc.assert(
      fc.property(bytes(0, 400), (garbage) =>
        expect(Array.from(decodeText(garbage) ?? '').length).toBeLessThanOrEqual(128),
      ),
    );
  });
});

describe('decodeUint', () => {
  it.each([
    ['0x', undefined],
    [`0x${'0'.repeat(63)}`, undefined],
    [`0x${'0'.repeat(62)}ff`, 255n],
    [`0x${'0'.repeat(63)}1ff`, 1n],
    ['0xzz', undefined],
  ])('reads %s as %s', (result, value) => {
    expect(decodeUint(result)).toBe(value);
  });
});
