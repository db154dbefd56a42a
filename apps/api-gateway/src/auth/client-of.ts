import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * The client that a request without a key counts against: its address, as far as the proxies in front are trusted. For
 * IPv6 the first 64 bits, because whoever has one address has the whole network.
 */
export function clientOf({ ip, socket }: Pick<Request, 'ip' | 'socket'>): string {
  return toClient(ip) ?? toClient(socket.remoteAddress) ?? 'unknown';
}

/** Undefined if the text is no address: a client can send any text to a proxy. */
function toClient(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  return isIPv6(address) ? networkOf(address) : undefined;
}

/** `2001:db8::1` → `2001:db8:0:0`. */
function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]!.split('::');
  const [before, behind] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  // An IPv4 address at the end stands for two groups.
  const length = before.length + behind.length + (/\.\d+$/.test(address) ? 1 : 0);
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - length }, () => '0');
  return [...before, ...zeros, ...behind]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
