// SPDX-License-Identifier: Apache-2.0
import { parseRetryAfter } from './post-once.ts';

test.each([
  ['120', 120_000],
  [' 7 ', 7_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  [undefined, undefined],
])('parseRetryAfter reads %j', (value, expected) => {
  expect(parseRetryAfter(value, Date.parse('2026-11-20T12:00:00Z'))).toBe(expected);
});
