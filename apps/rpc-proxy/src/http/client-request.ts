import type { Socket } from 'node:net';

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

const READ: Readonly<Record<keyof ClientHeaders, true>> = {
  authorization: true,
  'accept-encoding': true,
  'content-type': true,
  origin: true,
  'x-api-key': true,
  'x-forwarded-for': true,
};

/** Their names: raw-http keeps no other headers of a head. */
export const CLIENT_HEADERS: ReadonlySet<string> = new Set(Object.keys(READ));

/** The client's address, taken from the proxies in front as far as they are trusted. */
export function clientAddressOf(req: ClientRequest, trustedProxies: number): string {
  const own = req.socket.remoteAddress ?? 'unknown';
  const forwarded = req.headers['x-forwarded-for'];
  if (trustedProxies === 0 || forwarded === undefined) return own;
  const chain = String(forwarded)
    .split(',')
    .map((part) => part.trim());
  return chain.at(-trustedProxies) ?? chain[0] ?? own;
}
