// SPDX-License-Identifier: Apache-2.0
/**
 * Address ranges that are never dialled unless the operator allows them: the IANA special-purpose registries (RFC 6890
 * and its updates) and the clouds' metadata services that sit on ordinary addresses.
 */
export const BLOCKED_IPV4: readonly (readonly [cidr: string, name: string])[] = [
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
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/** Blocked parts of global unicast. Translation and tunnel prefixes carry an IPv4 address that another host dials. */
export const BLOCKED_IPV6: readonly (readonly [cidr: string, name: string])[] = [
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
];

/** Prefixes with an IPv4 address inside, and the byte where it starts. Teredo stores it inverted. */
export const IPV4_CARRIERS: readonly {
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
