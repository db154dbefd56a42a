// SPDX-License-Identifier: Apache-2.0
import { findClient } from './consume-token.ts';

it.each([
  ['198.51.100.1', '198.51.100.1'],
  ['::ffff:198.51.100.1', '198.51.100.1'],
  ['::FFFF:c633:6401', '198.51.100.1'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:0DB8:1:2:ffff:1:2:3', '2001:db8:1:2'],
  ['2001:db8:1:2::198.51.100.1', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (address, client) => {
  expect(findClient(address)).toBe(client);
});

it.each([
  undefined,
  '',
  'unknown',
  '_hidden',
  '1',
  '0x7f.1',
  '198.51.100',
  '198.51.100.1:80',
  '[2001:db8::1]',
])('%s is no address', (text) => {
  expect(findClient(text)).toBeUndefined();
});
