// SPDX-License-Identifier: Apache-2.0
import { sayLeft } from './time.tsx';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

it.each([
  [-3_600_000, '0 s'],
  [0, '0 s'],
  [1, '1 s'],
  [59_000, '59 s'],
  [59_001, '1 min'],
  [119_000, '1 min'],
  [3_599_000, '59 min'],
  [3_600_000, '1 h 0 min'],
  [86_399_000, '23 h 59 min'],
])('%d ms are %s', (ms, text) => {
  expect(sayLeft(NOW_MS + ms, NOW_MS)).toBe(text);
});
