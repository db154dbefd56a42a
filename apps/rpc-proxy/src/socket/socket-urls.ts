// SPDX-License-Identifier: Apache-2.0
import { parseEndpoint } from '@chainwatch/chain-core';
import type { Upstream } from '../upstreams/upstream.ts';

const known = new WeakMap<Upstream, string>();

/**
 * Where a node's socket may be, most likely first: at its endpoint (providers, anvil, erigon) or, if that names a port,
 * one port above (the defaults of geth, reth and agave, and where @solana/web3.js looks).
 */
export function socketUrlsOf(upstream: Upstream): readonly string[] {
  const learned = known.get(upstream);
  if (learned !== undefined) return [learned];
  const { socketUrl, isSocket } = parseEndpoint(upstream.source.url);
  const { port } = new URL(upstream.source.url);
  if (isSocket || port === '' || port === '65535') return [socketUrl];
  const above = new URL(socketUrl);
  above.port = String(Number(port) + 1);
  return [socketUrl, above.href];
}

/** Remembers where a node's socket was found. */
export function learnSocketUrl(upstream: Upstream, url: string): void {
  known.set(upstream, url);
}
