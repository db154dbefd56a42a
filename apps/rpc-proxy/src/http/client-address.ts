import type { ClientRequest } from './client-request.ts';

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
