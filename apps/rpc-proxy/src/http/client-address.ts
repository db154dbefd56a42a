import type { ClientRequest } from './client-request.ts';

/** Who is at the other end, as so many proxies in front are believed to say. */
export function clientAddressOf(req: ClientRequest, trustedProxies: number): string {
  const own = req.socket.remoteAddress ?? 'unknown';
  const forwarded = req.headers['x-forwarded-for'];
  if (trustedProxies === 0 || forwarded === undefined) return own;
  const chain = String(forwarded)
    .split(',')
    .map((part) => part.trim());
  return chain.at(-trustedProxies) ?? chain[0] ?? own;
}
