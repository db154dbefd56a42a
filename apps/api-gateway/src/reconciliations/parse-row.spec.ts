// SPDX-License-Identifier: Apache-2.0
import { toRaw } from './parse-row.ts';

it.each([
  [{ units: '1.5' }, 6, 1_500_000n],
  [{ raw: 1_500_000n }, 6, 1_500_000n],
  [{ raw: 1_500_000n, units: '1.50' }, 6, 1_500_000n],
  // Nobody can compare them.
  [{ raw: 1_500_000n, units: '1.4' }, null, 1_500_000n],
  [
    { raw: 1_500_000n, units: '1.4' },
    6,
    'amount: expected the same as amount_raw, 1500000 base units, got 1.4',
  ],
  [
    { raw: 1n, units: '0.0000001' },
    6,
    'amount: expected the same as amount_raw, 1 base units, got 0.0000001',
  ],
  [{ units: '1.0000001' }, 6, 'amount: expected at most 6 decimals, got 7'],
])('takes %j with %j decimals for %j', (amount, decimals, expected) => {
  expect(toRaw(amount, decimals)).toBe(expected);
});
