// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {
  compareAmounts,
  formatAmount,
  InvalidAmountError,
  positiveDecimalSchema,
  scaleAmount,
} from './index.ts';

const raws = fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n });
const decimals = fc.integer({ min: 0, max: 255 });

/** Whole units as base units, without the arithmetic of the library. */
function toRaw(text: string, places: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole.replace('-', '') + fraction.padEnd(places, '0')) * (text.startsWith('-') ? -1n : 1n);
}

describe('formatAmount', () => {
  it.each([
    [0n, 0, '0'],
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [1_500_000_000_000_000_000n, 18, '1.5'],
    [-1_500_000_000_000_000_000n, 18, '-1.5'],
    [-1n, 8, '-0.00000001'],
    [100n, 0, '100'],
    [100n, 2, '1'],
    [120n, 2, '1.2'],
    [1000n, 1, '100'],
    [2n ** 256n - 1n, 18, '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
    [1n, 255, `0.${'0'.repeat(254)}1`],
  ])('writes %d with %d decimals as %s', (raw, places, text) => {
    expect(formatAmount(raw, places)).toBe(text);
    expect(toRaw(text, places)).toBe(raw);
  });

  it.each([-1, 256, 1.5, Number.NaN])('refuses %d decimals', (places) => {
    expect(() => formatAmount(1n, places)).toThrow(`expected decimals from 0 to 255, got ${places}`);
  });

  it('writes canonical text that reads back to the same amount', () => {
    fc.assert(
      fc.property(raws, decimals, (raw, places) => {
        const text = formatAmount(raw, places);
        expect(text).toMatch(/^(0|-?(?!0$)(?!0\.0*$)(0|[1-9]\d*)(\.\d*[1-9])?)$/);
        expect(toRaw(text, places)).toBe(raw);
        expect(positiveDecimalSchema.safeParse(text).success).toBe(raw >= 0n);
      }),
    );
  });
});

describe('what is no amount', () => {
  it.each([
    '',
    ' ',
    '1 ',
    ' 1',
    '+1',
    '1e3',
    '1E3',
    '.5',
    '1.',
    '1..2',
    '1.2.3',
    '1,5',
    '01',
    '-',
    '--1',
    '0x10',
    'NaN',
    'Infinity',
    '1_000',
    '１',
    '1\n',
    '1n',
  ])('refuses %j', (text) => {
    expect(() => compareAmounts(text, '1')).toThrow('expected a decimal number such as "1.5", got ');
    expect(() => compareAmounts('1', text)).toThrow(InvalidAmountError);
    expect(positiveDecimalSchema.safeParse(text).success).toBe(false);
  });

  it('refuses a text too long to be an amount, and does not repeat all of it', () => {
    expect(() => compareAmounts('9'.repeat(100_000), '0')).toThrow(/^.{0,200}$/);
    expect(positiveDecimalSchema.safeParse('9'.repeat(2000)).error?.issues).toHaveLength(1);
  });

  it('is said with InvalidAmountError, whatever the text', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.-+eE ') }));
    fc.assert(
      fc.property(texts, (text) => {
        try {
          expect(compareAmounts(text, text)).toBe(0);
          expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidAmountError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('compareAmounts', () => {
  it.each([
    ['1', '2', -1],
    ['10', '9', 1],
    ['1.5', '1.50', 0],
    ['-0', '0', 0],
    ['-1', '0.1', -1],
    ['0.1', '0.09', 1],
    ['-2', '-10', 1],
  ] as const)('orders %s and %s', (left, right, order) => {
    expect(compareAmounts(left, right)).toBe(order);
  });

  it('orders as the base units do', () => {
    fc.assert(
      fc.property(raws, raws, decimals, (left, right, places) => {
        const order = left < right ? -1 : left > right ? 1 : 0;
        expect(compareAmounts(formatAmount(left, places), formatAmount(right, places))).toBe(order);
      }),
    );
  });
});

describe('scaleAmount', () => {
  it.each([
    [1_000_001n, 6, '1.5', '1.500001'],
    [1_000_001n, 6, '3', '3.000003'],
    [7n, 0, '0.5', '3'],
    [0n, 18, '2', '0'],
    [1n, 6, '0.0000001', '0'],
    [
      2n ** 256n - 1n,
      0,
      '1.000000000000000001',
      String(((2n ** 256n - 1n) * (10n ** 18n + 1n)) / 10n ** 18n),
    ],
  ])('multiplies %d with %d decimals by %s, and cuts off', (raw, places, multiplier, expected) => {
    expect(scaleAmount(raw, places, multiplier)).toBe(expected);
  });

  it('is the amount itself times 1', () => {
    fc.assert(
      fc.property(raws, decimals, (raw, places) => {
        expect(scaleAmount(raw, places, '1')).toBe(formatAmount(raw, places));
      }),
    );
  });
});

describe('schemas', () => {
  it('say expected and got', () => {
    expect(positiveDecimalSchema.safeParse('1e3').error?.issues[0]?.message).toBe(
      'expected a decimal number of zero or more such as "1.5", got "1e3"',
    );
    expect(positiveDecimalSchema.safeParse(1.5).error?.issues[0]?.message).toBe(
      'expected a decimal number of zero or more such as "1.5", got 1.5',
    );
  });

  it('take no sign', () => {
    expect(positiveDecimalSchema.parse('1.5')).toBe('1.5');
    expect(positiveDecimalSchema.safeParse('-1').success).toBe(false);
  });
});
