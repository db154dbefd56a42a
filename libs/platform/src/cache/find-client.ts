// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whom requests without a key are counted against: an IPv4 address, or the first 64 bits of an IPv6 address (`2001:db8:0:0`),
 * because whoever has one address has the whole network. IPv4 in IPv6 is IPv4. Undefined if the text is no address: a
 * client can send any text to a proxy.
 */
export function findClient(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}
