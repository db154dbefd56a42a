// SPDX-License-Identifier: Apache-2.0
import '../spec-support/page-request.ts';
import { askAgainMs, readAddress } from './portal-session.ts';

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

const ID = '6f1d1f4e-0000-4000-8000-000000000001';

it.each([
  [`/ui/portal/${ID}`, '#svc_portal_x', [ID, 'svc_portal_x', undefined]],
  [`/ui/portal/${ID}/channels/1`, '#svc_portal_x&theme=dark', [ID, 'svc_portal_x', 'dark']],
  [`/ui/portal/${ID}/`, '#svc_portal_x&other=1&theme=light', [ID, 'svc_portal_x', 'light']],
  [`/ui/portal/${ID}`, '#svc_portal_x&theme=pink', [ID, 'svc_portal_x', undefined]],
  [`/ui/portal/${ID}`, '', [ID, undefined, undefined]],
  [`/ui/portal/${ID}`, '#', [ID, undefined, undefined]],
  ['/ui/portal', '#svc_portal_x', ['', 'svc_portal_x', undefined]],
])('reads %s%s', (pathname, hash, [sessionId, token, theme]) => {
  expect(readAddress({ pathname, hash })).toEqual({ sessionId, token, theme });
});
