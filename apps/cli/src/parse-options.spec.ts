// SPDX-License-Identifier: Apache-2.0
import { parseCount, parseList, parseSince } from './parse-options.ts';

it.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
])('%s is the time %s', (text, expected) => {
  expect(parseSince(text)).toBe(expected);
});

it.each([
  ['90s', 90_000],
  ['90m', 5_400_000],
  ['6h', 21_600_000],
  ['2d', 172_800_000],
])('%s is so long ago: %d ms', (text, ms) => {
  const latest = Date.now() - ms;
  const parsed = Date.parse(parseSince(text));
  expect(parsed).toBeGreaterThanOrEqual(latest);
  expect(parsed).toBeLessThanOrEqual(Date.now() - ms);
});

it('refuses what is no time and no number, and reads lists', () => {
  expect(() => parseSince('soon')).toThrow('expected a time');
  expect(() => parseCount('-1')).toThrow('expected a whole number');
  expect(parseCount('0')).toBe(0);
  expect(parseList(' a, b,,')).toEqual(['a', 'b']);
});
