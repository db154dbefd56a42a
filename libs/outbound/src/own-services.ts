// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ResolveHost } from './resolve-host.ts';

export const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
  'nats:': 4222,
  'tls:': 4222,
  'redis:': 6379,
  'rediss:': 6379,
  'postgres:': 5432,
  'postgresql:': 5432,
};

/** Finds out whether one of the addresses, at the port, is a server of the service itself. */
export type IsOwnService = (port: number, addresses: readonly string[]) => Promise<boolean>;

/**
 * The servers behind the service's own URLs: bus, cache, database. No customer's URL may lead there, whatever ranges the
 * operator allows. A URL may name several hosts, with commas between.
 */
export function createOwnServices(urls: readonly string[], resolve: ResolveHost): IsOwnService {
  const servers = urls.flatMap(listServers);
  return async (port, addresses) => {
    const hosts = servers.filter((server) => server.port === port).map(({ host }) => host);
    const own = (await Promise.all(hosts.map((host) => listAddresses(host, resolve)))).flat();
    return addresses.some((address) => own.includes(nameAddress(address)));
  };
}

function listServers(url: string): { readonly host: string; readonly port: number }[] {
  return url.split(',').flatMap((part) => {
    const text = part.includes('://') ? part : `${/^\w+:\/\//.exec(url)?.[0] ?? ''}${part}`;
    if (!URL.canParse(text)) return [];
    const { hostname, port, protocol } = new URL(text);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return host === '' ? [] : [{ host, port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0) }];
  });
}

async function listAddresses(host: string, resolve: ResolveHost): Promise<string[]> {
  if (isIP(host) !== 0) return [nameAddress(host)];
  const resolved = await resolve(host).catch(() => []);
  return resolved.map(({ address }) => nameAddress(address));
}

/** All loopback addresses are one machine. */
function nameAddress(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'loopback' ? 'loopback' : parsed.toString();
}
