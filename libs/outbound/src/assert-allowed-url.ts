import type { Dial } from '@chainwatch/chain-core';
import { hostOf } from './create-dial.ts';
import { OutboundUrlError, UnresolvableHostError } from './errors.ts';

export interface AllowedUrlOptions {
  /** With the colon; default http:, https:, ws: and wss:. */
  readonly protocols?: readonly string[];
  /** The resolver gets that long, default 5,000. */
  readonly timeoutMs?: number;
}

/**
 * Checks a URL when it is stored: its host is resolved and every address checked. The dial checks again at each
 * connection, because names change.
 * @throws BlockedAddressError, UnresolvableHostError, OutboundUrlError; each with a `publicMessage`
 */
export async function assertAllowedUrl(url: string, dial: Dial, options: AllowedUrlOptions = {}): Promise<URL> {
  dial.check(url);
  const parsed = new URL(url);
  const protocols = options.protocols ?? ['http:', 'https:', 'ws:', 'wss:'];
  if (!protocols.includes(parsed.protocol)) {
    throw new OutboundUrlError(`expected a URL with ${protocols.join(', ')}, got ${parsed.protocol}`);
  }
  if (parsed.hostname === '') throw new OutboundUrlError('expected a URL with a host');
  await lookUp(hostOf(parsed), dial, options.timeoutMs ?? 5_000);
  return parsed;
}

function lookUp(host: string, dial: Dial, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new UnresolvableHostError(host, new Error(`no answer in ${timeoutMs} ms`))), timeoutMs);
    dial.lookup(host, { all: true }, (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });
}
