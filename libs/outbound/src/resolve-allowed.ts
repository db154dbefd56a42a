// SPDX-License-Identifier: Apache-2.0
import { lookup as lookupBySystem } from 'node:dns';
import type { Dial } from '@chainwatch/chain-core';
import { UnresolvableHostError, OutboundUrlError } from './errors.ts';
import { hostOf } from './create-dial.ts';
import { DEFAULT_PORTS } from './own-services.ts';

/**
 * The checked address of a host, for a client that opens its own socket. The client must dial this address
 * and no other, or it would dial one that was not checked. `host` may be a literal, without brackets.
 * @throws BlockedAddressError, UnresolvableHostError
 */
export async function resolveAllowed(host: string, dial: Dial, timeoutMs: number): Promise<string> {
  const [first] = await resolveAll(host, dial, timeoutMs);
  return first!.address;
}

export interface Address {
  readonly address: string;
  readonly family: number;
}

/**
 * All addresses of a host, at least one. Without a dial none is checked.
 * @throws BlockedAddressError, UnresolvableHostError
 */
export function resolveAll(
  host: string,
  dial: Dial | undefined,
  timeoutMs: number,
): Promise<readonly Address[]> {
  const lookup = dial?.lookup ?? (lookupBySystem as unknown as Dial['lookup']);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new UnresolvableHostError(host, new Error(`no answer in ${timeoutMs} ms`))),
      timeoutMs,
    );
    lookup(host, { all: true }, (error, addresses) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(addresses as unknown as readonly Address[]);
    });
  });
}

export interface AllowedUrlOptions {
  /** With the colon; default http:, https:, ws: and wss:. */
  readonly protocols?: readonly string[];
  /** Time-out of the resolver, default 5,000. */
  readonly timeoutMs?: number;
}

/**
 * Checks a URL when it is stored: its host is resolved and every address checked. The dial checks again at each
 * connection, because names change.
 * @throws BlockedAddressError, UnresolvableHostError, OutboundUrlError; each with a `publicMessage`
 */
export async function assertAllowedUrl(
  url: string,
  dial: Dial,
  options: AllowedUrlOptions = {},
): Promise<URL> {
  dial.check(url);
  const parsed = new URL(url);
  const protocols = options.protocols ?? ['http:', 'https:', 'ws:', 'wss:'];
  if (!protocols.includes(parsed.protocol)) {
    throw new OutboundUrlError(`expected a URL with ${protocols.join(', ')}, got ${parsed.protocol}`);
  }
  if (parsed.hostname === '') throw new OutboundUrlError('expected a URL with a host');
  const host = hostOf(parsed);
  const addresses = await resolveAll(host, dial, options.timeoutMs ?? 5_000);
  const port = Number(parsed.port) || (DEFAULT_PORTS[parsed.protocol] ?? 0);
  await dial.checkAddresses?.(
    host,
    port,
    addresses.map(({ address }) => address),
  );
  return parsed;
}
