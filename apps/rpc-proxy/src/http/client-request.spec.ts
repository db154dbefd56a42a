// SPDX-License-Identifier: Apache-2.0
import { clientOf, type ClientRequest } from './client-request.ts';

const request = (remoteAddress: string, forwarded?: string): ClientRequest => ({
  headers: { 'x-forwarded-for': forwarded },
  socket: { remoteAddress, destroySoon: () => undefined },
});

it.each([
  ['of its own address', 0, '203.0.113.1', '198.51.100.1', '203.0.113.1'],
  ['of its own network', 0, '2001:db8:1:2::1', undefined, '2001:db8:1:2'],
  ['of IPv4 in IPv6', 0, '::ffff:203.0.113.1', undefined, '203.0.113.1'],
  ['of what the proxy added', 1, '10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
  ['of the network behind the proxy', 1, '10.0.0.1', '2001:db8:1:2:3::4', '2001:db8:1:2'],
  [
    'of the first of fewer proxies than are trusted',
    3,
    '10.0.0.1',
    '198.51.100.1, 198.51.100.2',
    '198.51.100.1',
  ],
  ['of the proxy where the text is no address', 1, '10.0.0.1', 'unknown', '10.0.0.1'],
])('a request is %s', (_whose, trustedProxies, own, forwarded, client) => {
  expect(clientOf(request(own, forwarded), trustedProxies)).toBe(client);
});
