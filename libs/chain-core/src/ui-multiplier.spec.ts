// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decimalOfDouble, uiMultiplierAt } from './ui-multiplier.ts';

it.each([
  [1, '1'],
  [1.5, '1.5'],
  [100, '100'],
  [0.1, '0.1'],
  [1.0032690125398187, '1.0032690125398187'],
  [1e-7, '0.0000001'],
  [1.25e-9, '0.00000000125'],
  [1.5e21, '1500000000000000000000'],
  [1.2345e22, '12345000000000000000000'],
  [5e-324, `0.${'0'.repeat(323)}5`],
  [0, undefined],
  [-1, undefined],
  [NaN, undefined],
  [Infinity, undefined],
])('writes %d as %s', (value, text) => expect(decimalOfDouble(value)).toBe(text));

it('writes any double so that the text reads as the same double', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalOfDouble(value)!;
      expect(text).toMatch(/^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
      expect(Number(text)).toBe(value);
    }),
  );
});

it('is the next value from its time on', () => {
  const multiplier = { type: 'scaled', value: '2', next: { value: '4', at: 1_000 } } as const;
  expect([999, 1_000, 1_001].map((at) => uiMultiplierAt(multiplier, at))).toEqual(['2', '4', '4']);
  expect(uiMultiplierAt({ type: 'scaled', value: '1.5' }, 5)).toBe('1.5');
});

it('grows by both rates', () => {
  const year = 31_556_736;
  const interest = {
    type: 'interest',
    startedAt: 0,
    rateBefore: 500,
    changedAt: year,
    rate: -1_000,
  } as const;
  expect(Number(uiMultiplierAt(interest, year))).toBeCloseTo(Math.exp(0.05), 12);
  expect(Number(uiMultiplierAt(interest, 2 * year))).toBeCloseTo(Math.exp(0.05 - 0.1), 12);
  expect(uiMultiplierAt({ ...interest, rate: 32_767 }, year * 1e6)).toBeUndefined();
});
