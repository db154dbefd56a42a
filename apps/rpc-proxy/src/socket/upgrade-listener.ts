import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { parseApiKey } from '@chainwatch/api-key';
import type { TokenResult } from '@chainwatch/cache';
import type { Dial } from '@chainwatch/chain-core';
import type { KeyStore, Principal } from '@chainwatch/key-store';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import type { Chain } from '../chains/chain.ts';
import { clientAddressOf } from '../http/client-address.ts';
import { pushLimitHeaders, tooMany } from '../http/limit-headers.ts';
import { BODY_BYTES_MAX } from '../http/read-body.ts';
import type { KeyLimits } from '../limits/key-limits.ts';
import type { UsageBook } from '../usage/usage-book.ts';
import { SocketSession } from './socket-session.ts';

export interface UpgradeOptions {
  readonly keys: KeyStore;
  readonly namespaceLabel: string;
  readonly limits: KeyLimits;
  readonly directory: ChainDirectory;
  readonly trustedProxies: number;
  readonly usage: UsageBook;
  readonly dial: Dial;
}

export interface UpgradeListener {
  (req: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

const PING_MS = 30_000;
const LOOK_MS = 1_000;

/** `GET {rpc_url}/{chain}` with Upgrade: a socket for calls and subscriptions, with the same keys and limits. */
export function createUpgradeListener(options: UpgradeOptions): UpgradeListener {
  const server = new WebSocketServer({ noServer: true, maxPayload: BODY_BYTES_MAX });
  const alive = new WeakSet<object>();
  const pinging = setInterval(() => {
    for (const client of server.clients) {
      if (!alive.delete(client)) client.terminate();
      else client.ping();
    }
  }, PING_MS);
  pinging.unref();
  const sessions = new Set<SocketSession>();
  const looking = setInterval(() => {
    for (const session of sessions) session.leaveUnfit();
  }, LOOK_MS);
  looking.unref();
  const listener = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    admit(options, req)
      .then((admitted) => {
        const limits: string[] = [];
        pushLimitHeaders(limits, admitted.limit);
        if ('error' in admitted) return refuse(socket, admitted.status, admitted.error, limits);
        const tell = (lines: string[]): void => void lines.push(...linesOf(limits));
        server.on('headers', tell);
        server.handleUpgrade(req, socket, head, (client) => {
          alive.add(client);
          client.on('pong', () => alive.add(client));
          const session = new SocketSession({ ...options, ...admitted, client });
          sessions.add(session);
          client.on('close', () => sessions.delete(session));
        });
        // It upgrades, or refuses, at once.
        server.off('headers', tell);
      })
      .catch(() => refuse(socket, 500, 'the gateway failed'));
  };
  return Object.assign(listener, {
    close: () => {
      clearInterval(pinging);
      clearInterval(looking);
      for (const client of server.clients) client.terminate();
      server.close();
    },
  });
}

interface Refused {
  readonly limit: TokenResult;
  readonly status: number;
  readonly error: string;
}

interface Admitted {
  readonly limit: TokenResult;
  readonly principal: Principal;
  readonly chain: Chain;
  readonly key: string;
}

async function admit({ keys, namespaceLabel, limits, directory, trustedProxies }: UpgradeOptions, req: IncomingMessage): Promise<Refused | Admitted> {
  const text = req.headers['x-api-key'] ?? readKeyOfQuery(req.url);
  const parsed = parseApiKey(text, namespaceLabel);
  const principal = parsed.ok ? await keys.findPrincipal(parsed.key) : undefined;
  if (principal === undefined || !parsed.ok) {
    const limit = await limits.takeFailure(clientAddressOf(req, trustedProxies));
    if (!limit.allowed) return { limit, status: 429, error: tooMany(limit) };
    return { limit, status: 401, error: text === undefined ? 'missing API key' : 'invalid API key' };
  }
  const limit = await limits.take(principal.keyId, 1);
  if (!limit.allowed) return { limit, status: 429, error: tooMany(limit) };
  if (principal.keyType !== 'rpc') return { limit, status: 403, error: 'this key is not an RPC key' };
  const chain = directory.find((req.url ?? '/').slice(1).replace(/[/?].*$/, ''));
  if (chain === undefined) return { limit, status: 404, error: 'network not found' };
  if (chain.upstreams.length === 0) return { limit, status: 502, error: 'network unavailable' };
  if (chain.family === 'bitcoin') return { limit, status: 400, error: 'protocol mismatch: Bitcoin nodes have no sockets' };
  return { limit, principal, chain, key: parsed.key };
}

/** Browsers and @solana/web3.js cannot set headers of a socket: there the key stands behind its address. */
function readKeyOfQuery(url = ''): string | undefined {
  const query = url.indexOf('?');
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query + 1)).get('api-key') ?? undefined);
}

function refuse(socket: Duplex, status: number, error: string, limits: readonly string[] = []): void {
  const body = JSON.stringify({ error });
  const lines = [`HTTP/1.1 ${status} Refused`, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, ...linesOf(limits), 'Connection: close'];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function linesOf(headers: readonly string[]): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${headers[at + 1]}` : []));
}
