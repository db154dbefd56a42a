// SPDX-License-Identifier: Apache-2.0
import { HttpClient } from '@chainwatch/chain-core';
import type { EndpointOptions } from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';

/** HTTP to a node or to the index beside it: neither speaks WebSocket. */
export function openHttp(options: EndpointOptions): HttpClient {
  return new HttpClient({ ...options, openHttp: createHttpClient, refusesSocketUrl: true });
}
