import { lookup as lookupHost } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Dial } from '@chainwatch/chain-core';
import { BlockedAddressError, OutboundUrlError, UnresolvableHostError } from './errors.ts';
import { findBlockedRange, parseAllowList } from './find-blocked-range.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface DialOptions {
  /** CIDR ranges that may be dialled although they are on the deny list. */
  readonly allow: readonly string[];
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
    check(url) {
      if (!URL.canParse(url)) throw new OutboundUrlError('expected an absolute URL');
      const host = hostOf(new URL(url));
      if (isIP(host)) assertAllowed(host, host);
    },
  };
}

/** Host of a WHATWG URL as sockets want it: without brackets. Its short, octal and hex IPv4 forms are normalised already. */
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
