// SPDX-License-Identifier: Apache-2.0
import { ownPage } from './serve-oidc.ts';

it.each([
  ['/ui/', '/ui/'],
  ['/ui/transactions?hash=0x1&status=a%20b', '/ui/transactions?hash=0x1&status=a%20b'],
  ['/ui/x/../addresses', '/ui/addresses'],
])('leads to %s', (wanted, page) => {
  expect(ownPage(wanted)).toBe(page);
});

it.each([
  undefined,
  ['/ui/a'],
  '',
  '/',
  '/v1/session',
  '/uix/',
  '//evil.test/ui/',
  '/\\evil.test/ui/',
  '\\\\evil.test/ui/',
  '/\t/evil.test/ui/',
  ' //evil.test/ui/',
  'https://evil.test/ui/',
  'http:/\\evil.test/ui/',
  'javascript:alert(1)//ui/',
  'data:text/html,/ui/',
  '/ui/../v1/x',
  '/ui/../../evil',
  '/ui/%2e%2e/x',
  '/ui/oidc/start',
  '/ui/oidc/callback?code=1',
  '/ui/sign-in?to=/ui/sign-in',
  'http://dashboard.invalid:1/ui/',
  `/ui/?${'a'.repeat(1_024)}`,
])('leads %j to the first page', (wanted) => {
  expect(ownPage(wanted)).toBe('/ui/');
});

it('leaves no second slash in front, which would name a host', () => {
  for (const wanted of ['/ui//evil.test', '/ui/./..//evil.test/ui/', '/x/..//evil.test/ui/'])
    expect(ownPage(wanted)).not.toMatch(/^\/[/\\]/);
});
