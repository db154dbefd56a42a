// SPDX-License-Identifier: Apache-2.0
import type { Dial } from '@chainwatch/chain-core';
import { hostOf } from './create-dial.ts';
import { OutboundUrlError } from './errors.ts';
import { DEFAULT_PORTS } from './own-services.ts';
import { resolveAll } from './resolve-allowed.ts';

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
