// SPDX-License-Identifier: Apache-2.0
import '../spec-support/page-request.ts';
import { askAgainMs } from './portal-api.ts';

const NOW_MS = Date.parse('2026-01-01T00:00:00.000Z');

it.each([
  ['2026-01-01T01:00:00.000Z', 3_600_000],
  ['2026-01-01T00:00:05.000Z', 5_000],
  // The clock of the page goes ahead of the database's, which decides: the session is asked for now and then.
  ['2026-01-01T00:00:00.001Z', 5_000],
  ['2025-12-31T00:00:00.000Z', 5_000],
])('asks for a session that ends at %s after %d ms', (expiresAt, ms) => {
  expect(askAgainMs(expiresAt, NOW_MS)).toBe(ms);
});
