import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BLOCKED_IPV4, BLOCKED_IPV6, GLOBAL_UNICAST_IPV6, IPV4_CARRIERS } from './blocked-ranges.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Cidr = [Address, number];

const blockedIpv4 = BLOCKED_IPV4.map(([cidr, name]) => ({ cidr: ipaddr.parseCIDR(cidr) as Cidr, name }));
const blockedIpv6 = BLOCKED_IPV6.map(([cidr, name]) => ({ cidr: ipaddr.parseCIDR(cidr) as Cidr, name }));
const globalUnicast: Cidr = ipaddr.parseCIDR(GLOBAL_UNICAST_IPV6);
const carriers = IPV4_CARRIERS.map((carrier) => ({
  ...carrier,
  cidr: ipaddr.parseCIDR(carrier.cidr) as Cidr,
}));

/**
 * The name of the blocked range that `address` (canonical text) lies in; undefined when it may be dialled.
 * An IPv6 address that carries an IPv4 one is dialled only when the operator allows the IPv6 range and the IPv4 address
 * may be dialled by itself: allowing `64:ff9b::/96` for DNS64 does not open `64:ff9b::7f00:1`.
 */
export function findBlockedRange(address: string, allow: readonly Cidr[]): string | undefined {
  if (isIP(address) === 0) return 'no IP address';
  const parsed = ipaddr.parse(address);
  const isAllowed = allow.some((cidr) => contains(cidr, parsed));
  if (parsed instanceof ipaddr.IPv4) {
    return isAllowed ? undefined : blockedIpv4.find(({ cidr }) => contains(cidr, parsed))?.name;
  }
  const carried = findCarriedIpv4(parsed);
  if (carried !== undefined && isAllowed) return findBlockedRange(carried, allow);
  if (carried !== undefined) return 'IPv4 carried in IPv6';
  if (isAllowed) return undefined;
  if (!contains(globalUnicast, parsed)) return parsed.range();
  return blockedIpv6.find(({ cidr }) => contains(cidr, parsed))?.name;
}

/** A bare address is a range of one. @throws Error naming the entry that is neither */
export function parseAllowList(allow: readonly string[]): Cidr[] {
  return allow.map((entry) => {
    if (isIP(entry) !== 0) return ipaddr.parseCIDR(`${entry}/${isIP(entry) === 4 ? 32 : 128}`);
    if (!ipaddr.isValidCIDR(entry))
      throw new Error(`OUTBOUND_ALLOW: expected CIDR ranges such as 127.0.0.0/8, got ${entry}`);
    return ipaddr.parseCIDR(entry);
  });
}

// `::` and `::1` lie in ::/96 too, but carry no IPv4 address.
function findCarriedIpv4(address: ipaddr.IPv6): string | undefined {
  const range = address.range();
  if (range === 'unspecified' || range === 'loopback') return undefined;
  const carrier = carriers.find(({ cidr }) => contains(cidr, address));
  if (carrier === undefined) return undefined;
  const bytes = address.toByteArray().slice(carrier.offset, carrier.offset + 4);
  return bytes.map((byte) => (carrier.isInverted ? 255 - byte : byte)).join('.');
}

function contains([network, bits]: Cidr, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network as never, bits);
}
