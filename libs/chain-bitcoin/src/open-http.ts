import { Pool } from 'undici';
import { HttpClient } from '@chainwatch/chain-core';
import type { EndpointOptions } from '@chainwatch/chain-core';

/** HTTP to a node or to the index beside it: neither speaks WebSocket. */
export function openHttp(options: EndpointOptions): HttpClient {
  return new HttpClient({
    ...options,
    openPool: (origin, pool) => new Pool(origin, pool),
    refusesSocketUrl: true,
  });
}
