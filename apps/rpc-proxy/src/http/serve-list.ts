// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TokenResult } from '@chainwatch/platform/cache';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import type { Chain } from '../chains/chain.ts';
import { type KeyLimits, pushLimitHeaders, tooMany } from '../limits/key-limits.ts';
import { clientOf } from './client-request.ts';
import type { CrossOrigin } from './cross-origin.ts';

export interface ListOptions {
  readonly directory: ChainDirectory;
  readonly limits: Pick<KeyLimits, 'takePublic'>;
  readonly crossOrigin: CrossOrigin;
  readonly trustedProxies: number;
}

/** `GET {rpc_url}`: the networks with their names and health. Needs no key, and shows no node's address. */
export function createListListener(options: ListOptions): RequestListener {
  return (req, res) => {
    req.resume();
    void Promise.resolve(options.limits.takePublic(clientOf(req, options.trustedProxies))).then((limit) =>
      answer(options, { limit, req, res }),
    );
  };
}

function answer(
  { directory, crossOrigin }: ListOptions,
  {
    limit,
    req: {
      method,
      headers: { origin },
    },
    res,
  }: { readonly limit: TokenResult; readonly req: IncomingMessage; readonly res: ServerResponse },
): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const status = limit.allowed ? (isRead ? 200 : 405) : 429;
  const body = JSON.stringify(
    status === 200
      ? { networks: [...directory.chains].map(describe) }
      : { error: limit.allowed ? 'expected GET, or POST to a network' : tooMany(limit) },
  );
  const headers = [
    'Content-Type',
    'application/json',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Cache-Control',
    'no-store',
  ];
  if (status === 405) headers.push('Allow', 'GET, HEAD');
  pushLimitHeaders(headers, limit);
  if (origin !== undefined) headers.push(...(crossOrigin.headersFor(origin) ?? []));
  res.writeHead(status, headers).end(body);
}

function describe(chain: Chain) {
  const { paths } = chain;
  const { gid, name, displayName, aliases, family, isTestnet } = chain.network;
  return {
    chain_gid: gid,
    name,
    display_name: displayName,
    aliases,
    family,
    is_testnet: isTestnet,
    status: statusOf(chain),
    ...(paths?.servedPaths && { [`${paths.servedPaths.interfaceName}_status`]: statusOf(paths) }),
    head_number: chain.headNumber === -1 ? null : chain.headNumber,
  };
}

/** `not_configured` without nodes, `degraded` if only some of them serve. */
export function statusOf(chain: Chain): 'healthy' | 'degraded' | 'unavailable' | 'not_configured' {
  if (chain.upstreams.length === 0) return 'not_configured';
  const serving = chain.upstreams.filter((upstream) => chain.serves(upstream)).length;
  if (serving === 0) return 'unavailable';
  return serving === chain.upstreams.length ? 'healthy' : 'degraded';
}
