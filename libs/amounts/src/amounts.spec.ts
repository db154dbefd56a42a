import fc from 'fast-check';
import {
  compareAmounts,
  decimalSchema,
  formatAmount,
  InvalidAmountError,
  parseAmount,
  positiveDecimalSchema,
  rawAmountSchema,
} from './index.ts';

const raws = fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n });
const decimals = fc.integer({ min: 0, max: 255 });

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
    expect(parseAmount(text, places)).toBe(raw);
  });

  it.each([-1, 256, 1.5, Number.NaN])('refuses %d decimals', (places) => {
    expect(() => formatAmount(1n, places)).toThrow(`expected decimals from 0 to 255, got ${places}`);
    expect(() => parseAmount('1', places)).toThrow(InvalidAmountError);
  });

  it('writes canonical text that reads back to the same amount', () => {
    fc.assert(
      fc.property(raws, decimals, (raw, places) => {
        const text = formatAmount(raw, places);
        expect(text).toMatch(/^(0|-?(?!0$)(?!0\.0*$)(0|[1-9]\d*)(\.\d*[1-9])?)$/);
        expect(parseAmount(text, places)).toBe(raw);
        expect(decimalSchema.safeParse(text).success).toBe(true);
      }),
    );
  });
});

describe('parseAmount', () => {
  it.each([
    ['1.50', 2, 150n],
    ['1.50', 18, 1_500_000_000_000_000_000n],
    ['-0', 4, 0n],
    ['-0.0', 4, 0n],
    ['0.10', 2, 10n],
  ])('reads %s with %d decimals', (text, places, raw) => {
    expect(parseAmount(text, places)).toBe(raw);
  });

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
    expect(() => parseAmount(text, 18)).toThrow('expected a decimal number such as "1.5", got ');
    expect(() => compareAmounts(text, '1')).toThrow(InvalidAmountError);
    expect(decimalSchema.safeParse(text).success).toBe(false);
  });

  it('refuses more fraction digits than the asset has, even zeros, instead of rounding', () => {
    expect(() => parseAmount('1.123', 2)).toThrow('expected at most 2 digits after the point, got "1.123"');
    expect(() => parseAmount('1.000', 2)).toThrow(InvalidAmountError);
    expect(() => parseAmount('1.0', 0)).toThrow(InvalidAmountError);
  });

  it('refuses a text too long to be an amount, and does not repeat all of it', () => {
    expect(() => parseAmount('9'.repeat(100_000), 0)).toThrow(/^.{0,200}$/);
    expect(decimalSchema.safeParse('9'.repeat(2000)).error?.issues).toHaveLength(1);
  });

  it('reads any text exactly or throws InvalidAmountError', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.-+eE ') }));
    fc.assert(
      fc.property(texts, decimals, (text, places) => {
        try {
          expect(compareAmounts(formatAmount(parseAmount(text, places), places), text)).toBe(0);
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

describe('schemas', () => {
  it('say expected and got', () => {
    expect(decimalSchema.safeParse('1e3').error?.issues[0]?.message).toBe(
      'expected a decimal number such as "1.5", got "1e3"',
    );
    expect(decimalSchema.safeParse(1.5).error?.issues[0]?.message).toBe(
      'expected a decimal number such as "1.5", got 1.5',
    );
  });

  it('take a sign only where one makes sense', () => {
    expect(decimalSchema.parse('-1.5')).toBe('-1.5');
    expect(positiveDecimalSchema.parse('1.5')).toBe('1.5');
    expect(positiveDecimalSchema.safeParse('-1').success).toBe(false);
    expect(rawAmountSchema.parse('-15')).toBe('-15');
    expect(rawAmountSchema.safeParse('-0').success).toBe(false);
    expect(rawAmountSchema.safeParse('1.5').success).toBe(false);
  });
});
