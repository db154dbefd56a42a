// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { findClient } from '@chainwatch/platform/cache';

/** What the gateway reads of a client's request besides its body. */
export interface ClientRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: ClientHeaders;
  /** The connection: it knows the client's address, and stands for the last key that it brought. */
  readonly socket: Pick<Socket, 'remoteAddress' | 'destroySoon'>;
}

/** Every header that the gateway reads of a call. */
interface ClientHeaders {
  readonly authorization?: string | undefined;
  readonly 'accept-encoding'?: string | string[] | undefined;
  readonly 'content-type'?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'x-api-key'?: string | string[] | undefined;
  readonly 'x-forwarded-for'?: string | string[] | undefined;
}

/** The client that a request without a key counts against, as far as the proxies in front are trusted. */
export function clientOf(req: ClientRequest, trustedProxies: number): string {
  const forwarded = req.headers['x-forwarded-for'];
  const own = findClient(req.socket.remoteAddress) ?? 'unknown';
  if (trustedProxies === 0 || forwarded === undefined) return own;
  const chain = String(forwarded)
    .split(',')
    .map((part) => part.trim());
  return findClient(chain.at(-trustedProxies) ?? chain[0]) ?? own;
}
