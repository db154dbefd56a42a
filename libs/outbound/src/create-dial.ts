// SPDX-License-Identifier: Apache-2.0
import { lookup as lookupHost } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Dial } from '@chainwatch/chain-core';
import { BlockedAddressError, OutboundUrlError, OwnServiceError, UnresolvableHostError } from './errors.ts';
import { createOwnServices } from './own-services.ts';
import type { ResolvedAddress, ResolveHost } from './resolve-host.ts';

/**
 * Address ranges that are never dialled unless the operator allows them: the IANA special-purpose registries (RFC 6890
 * and its updates) and the clouds' metadata services that sit on ordinary addresses.
 */
const BLOCKED_IPV4: readonly (readonly [cidr: string, name: string])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'AMT relay'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

/** Only global unicast is routable; everything outside is refused, with or without a name. */
const GLOBAL_UNICAST_IPV6 = '2000::/3';

/** Blocked parts of global unicast. Translation and tunnel prefixes carry an IPv4 address that another host dials. */
const BLOCKED_IPV6: readonly (readonly [cidr: string, name: string])[] = [
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
];

/** Prefixes with an IPv4 address inside, and the byte where it starts. Teredo stores it inverted. */
const IPV4_CARRIERS: readonly {
  readonly cidr: string;
  readonly offset: number;
  readonly isInverted?: true;
}[] = [
  { cidr: '::ffff:0:0/96', offset: 12 },
  { cidr: '::/96', offset: 12 },
  { cidr: '::ffff:0:0:0/96', offset: 12 },
  { cidr: '64:ff9b::/96', offset: 12 },
  { cidr: '64:ff9b:1::/48', offset: 12 },
  { cidr: '2002::/16', offset: 2 },
  { cidr: '2001::/32', offset: 12, isInverted: true },
];

const blockedIpv4 = BLOCKED_IPV4.map(([cidr, name]) => ({ cidr: ipaddr.parseCIDR(cidr) as Cidr, name }));
const blockedIpv6 = BLOCKED_IPV6.map(([cidr, name]) => ({ cidr: ipaddr.parseCIDR(cidr) as Cidr, name }));
const globalUnicast: Cidr = ipaddr.parseCIDR(GLOBAL_UNICAST_IPV6);
const carriers = IPV4_CARRIERS.map((carrier) => ({
  ...carrier,
  cidr: ipaddr.parseCIDR(carrier.cidr) as Cidr,
}));

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Cidr = [Address, number];

export interface DialOptions {
  /** CIDR ranges that may be dialled although they are on the deny list. */
  readonly allow: readonly string[];
  /** URLs of the service's own servers (bus, cache, database), which no connection reaches. Default: none. */
  readonly own?: readonly string[];
  /** Default: the system's resolver, all addresses. */
  readonly resolve?: ResolveHost;
}

/**
 * A dial that gives sockets checked addresses only. One blocked address blocks the whole host: a name that
 * points both outside and inside is not trusted.
 * @throws Error when `allow` holds something other than CIDR ranges
 */
export function createDial(options: DialOptions): Dial {
  const allow = parseAllowList(options.allow);
  const resolve = shareLookups(options.resolve ?? resolveBySystem);
  const isOwnService = createOwnServices(options.own ?? [], resolve);

  function assertAllowed(host: string, address: string): void {
    const range = findBlockedRange(address, allow);
    if (range !== undefined) throw new BlockedAddressError(host, address, range);
  }

  async function resolveChecked(hostname: string, family: number): Promise<ResolvedAddress[]> {
    const addresses = isIP(hostname)
      ? [{ address: hostname, family: isIP(hostname) }]
      : await resolve(hostname);
    if (addresses.length === 0) throw new UnresolvableHostError(hostname);
    for (const { address } of addresses) assertAllowed(hostname, address);
    const wanted = addresses.filter((address) => family === 0 || address.family === family);
    if (wanted.length === 0) throw new UnresolvableHostError(hostname);
    return wanted;
  }

  return {
    lookup(hostname, lookupOptions, callback) {
      const { all, family } = lookupOptions as { all?: boolean; family?: number | string };
      resolveChecked(hostname, parseFamily(family)).then(
        (addresses) =>
          all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family),
        (error: Error) => callback(error, all ? [] : ''),
      );
    },
    async checkAddresses(host, port, addresses) {
      if (await isOwnService(port, addresses)) throw new OwnServiceError(host, port);
    },
    check(url) {
      if (!URL.canParse(url)) throw new OutboundUrlError('expected an absolute URL');
      const host = hostOf(new URL(url));
      if (isIP(host)) assertAllowed(host, host);
    },
  };
}

/** Host of a WHATWG URL as sockets want it: without brackets. Its short, octal and hex IPv4 forms are normalized already. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function parseFamily(family: number | string | undefined): number {
  if (family === 'IPv4' || family === 4) return 4;
  return family === 'IPv6' || family === 6 ? 6 : 0;
}

async function resolveBySystem(hostname: string): Promise<ResolvedAddress[]> {
  return lookupHost(hostname, { all: true, order: 'verbatim' });
}

// getaddrinfo runs on one of Node's few pool threads, so connections to one slow name share one look-up and one thread.
function shareLookups(resolve: ResolveHost): ResolveHost {
  const pending = new Map<string, Promise<readonly ResolvedAddress[]>>();
  return (hostname) => {
    const running = pending.get(hostname);
    if (running !== undefined) return running;
    const lookup = resolve(hostname)
      .catch((error: unknown) => {
        throw new UnresolvableHostError(hostname, error);
      })
      .finally(() => pending.delete(hostname));
    pending.set(hostname, lookup);
    return lookup;
  };
}

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
