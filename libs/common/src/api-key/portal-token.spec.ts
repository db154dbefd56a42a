// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { findPortalToken, generateApiKey, generatePortalToken, isPortalToken } from './index.ts';

const token = generatePortalToken({ label: 'svc', randomBytes });

it('has a prefix, 30 random characters and a checksum that tells every changed one', () => {
  expect(token).toMatch(/^svc_portal_[0-9A-Za-z]{36}$/);
  expect(isPortalToken(token, 'svc')).toBe(true);
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    expect(isPortalToken(token.slice(0, at) + other + token.slice(at + 1), 'svc')).toBe(false);
  }
});

it.each([
  '',
  'x',
  token.replace('svc', 'acme'),
  token.slice(0, -1),
  `${token}0`,
  generateApiKey({ label: 'svc', type: 'api', randomBytes }),
])('%j is none', (text) => {
  expect(isPortalToken(text, 'svc')).toBe(false);
});

it('never throws on what a client sends', () => {
  fc.assert(fc.property(fc.string(), (text) => expect(isPortalToken(text, 'svc')).toBe(false)));
  fc.assert(fc.property(fc.string(), (text) => expect(findPortalToken(text, 'svc')).toBeUndefined()));
});

it.each([
  [`Bearer ${token}`, token],
  [`bearer  ${token} `, token],
  // Wrong, but meant for us: no other way in is tried with it.
  ['Bearer svc_portal_x', 'svc_portal_x'],
  ['Bearer eyJhbGciOiJSUzI1NiJ9.e30.x', undefined],
  [`Basic ${token}`, undefined],
  [token, undefined],
  [undefined, undefined],
])('is found in the header %p', (header, found) => {
  expect(findPortalToken(header, 'svc')).toBe(found);
});
