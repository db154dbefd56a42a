// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { hashApiKey } from '@chainwatch/common/api-key';
import type { TokenResult } from '@chainwatch/platform/cache';
import type { Dial, RpcSubscriptions } from '@chainwatch/chain-core';
import type { KeyStore, Principal } from '@chainwatch/data/key-store';
import { BODY_BYTES_MAX } from '../http/read-body.ts';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import type { Chain } from '../chains/chain.ts';
import { type Authenticator, sayUnauthorized } from '../http/authenticator.ts';
import { pushLimitHeaders, tooMany, type KeyLimits } from '../limits/key-limits.ts';
import { FULL_RETRY_SECONDS } from '../limits/answer-full.ts';
import type { MemoryQuota, Tenants } from '../limits/tenants.ts';
import type { ClientConnections } from '../limits/client-connections.ts';
import type { UsageRecorder } from '../usage/usage-recorder.ts';
import { SocketSession, type SessionOptions } from './socket-session.ts';

export interface UpgradeOptions {
  readonly authenticator: Authenticator;
  readonly keys: KeyStore;
  readonly limits: KeyLimits;
  readonly directory: ChainDirectory;
  readonly connections: ClientConnections;
  readonly tenants: Tenants;
  readonly usage: UsageRecorder;
  readonly dial: Dial;
  readonly nodePingMs?: number | undefined;
  readonly serve: SessionOptions['serve'];
  readonly onFault: (error: unknown) => void;
}

export interface UpgradeListener {
  (req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends the sockets of a key, at once or from `endsAtMs` on; the hash is hexadecimal. */
  revoke(keyHash: string, endsAtMs: number): void;
  /** Ends sockets when their calls in flight are answered, the remaining ones after `graceMs`. Takes no new ones. */
  close(graceMs: number): Promise<void>;
}

const PING_MS = 30_000;

interface Opened {
  readonly socket: Socket;
  readonly admitted: Admitted;
  readonly quota: MemoryQuota;
}

/**
 * `GET {rpc_url}/{chain}` with Upgrade: a socket for calls and subscriptions, with the keys and limits of HTTP calls.
 */
export function createUpgradeListener(options: UpgradeOptions): UpgradeListener {
  const server = new WebSocketServer({ noServer: true, maxPayload: BODY_BYTES_MAX });
  const pings = pingClients(server);
  const registry = new SessionRegistry(options.keys);
  const start = (client: WebSocket, { socket, admitted, quota }: Opened): void => {
    pings.watch(client);
    const session = new SocketSession({ ...options, ...admitted, client, socket, quota });
    const keyHash = Buffer.from(hashApiKey(admitted.key)).toString('hex');
    client.on('close', registry.add(keyHash, admitted.key, session));
  };
  const upgrade = (
    admitted: Refused | Admitted,
    { req, socket, head }: { readonly req: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
  ): void => {
    const limits: string[] = [];
    pushLimitHeaders(limits, admitted.limit);
    if ('error' in admitted)
      return refuse(socket, { status: admitted.status, error: admitted.error, limits });
    const connection = options.connections.of(socket);
    const quota = options.tenants.quotaOf(admitted.principal, connection);
    if (!connection.claim(quota.key))
      return refuse(socket, {
        status: 429,
        error: `too many connections for this key: expected at most ${quota.key.socketsMax}`,
        limits: [...limits, 'Retry-After', FULL_RETRY_SECONDS],
      });
    const tell = (lines: string[]): void => void lines.push(...linesOf(limits));
    server.on('headers', tell);
    try {
      // handleUpgrade calls back or refuses synchronously.
      server.handleUpgrade(req, socket, head, (client) => start(client, { socket, admitted, quota }));
    } finally {
      server.off('headers', tell);
    }
  };
  const listener = (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    admit(options, req)
      .catch((error: unknown): Refused => {
        options.onFault(error);
        return { limit: undefined, status: 500, error: 'the gateway failed' };
      })
      .then((admitted) => upgrade(admitted, { req, socket: socket as Socket, head }))
      .catch((error: unknown) => {
        options.onFault(error);
        // It may be a WebSocket already.
        socket.destroy();
      });
  };
  return Object.assign(listener, {
    revoke: (keyHash: string, endsAtMs: number) => registry.revoke(keyHash, endsAtMs),
    close: async (graceMs: number) => {
      pings.stop();
      registry.leave();
      await closeServer(server, graceMs);
      registry.stop();
    },
  });
}

/** Takes no new client, and cuts those that are left after `graceMs`. */
async function closeServer(server: WebSocketServer, graceMs: number): Promise<void> {
  const cut = setTimeout(() => {
    for (const client of server.clients) client.terminate();
  }, graceMs);
  await new Promise<unknown>((resolve) => server.close(resolve));
  clearTimeout(cut);
}

/** Cuts a client that did not answer the last ping. */
function pingClients(server: WebSocketServer): { watch(client: WebSocket): void; stop(): void } {
  const alive = new WeakSet<object>();
  const timer = setInterval(() => {
    for (const client of server.clients) {
      if (!alive.delete(client)) client.terminate();
      else client.ping();
    }
  }, PING_MS).unref();
  return {
    watch(client) {
      alive.add(client);
      client.on('pong', () => alive.add(client));
    },
    stop: () => clearInterval(timer),
  };
}

interface Refused {
  readonly limit: TokenResult | undefined;
  readonly status: number;
  readonly error: string;
}

interface Admitted {
  readonly limit: TokenResult;
  readonly principal: Principal;
  readonly chain: Chain;
  readonly subscribing: RpcSubscriptions;
  readonly key: string;
}

async function admit(
  { authenticator, limits, directory }: UpgradeOptions,
  req: IncomingMessage,
): Promise<Refused | Admitted> {
  const bearer = authenticator.bearerOf(req);
  const principal = await authenticator.askPrincipal(req);
  if (principal === undefined || bearer.key === undefined) {
    const limit = await authenticator.takeFailure(req);
    if (!limit.allowed) return { limit, status: 429, error: tooMany(limit) };
    return { limit, status: 401, error: sayUnauthorized(bearer) };
  }
  const limit = await limits.take(principal.keyId, 1);
  if (!limit.allowed) return { limit, status: 429, error: tooMany(limit) };
  if (principal.keyType !== 'rpc') return { limit, status: 403, error: 'this key is not an RPC key' };
  const chain = directory.find(bearer.name);
  if (chain === undefined) return { limit, status: 404, error: 'network not found' };
  if (chain.upstreams.length === 0) return { limit, status: 502, error: 'network unavailable' };
  const { subscriptions: subscribing } = chain.rpc;
  if (subscribing === undefined)
    return {
      limit,
      status: 400,
      error: `protocol mismatch: ${chain.family.displayName} nodes have no sockets`,
    };
  return { limit, principal, chain, subscribing, key: bearer.key };
}

function refuse(
  socket: Duplex,
  {
    status,
    error,
    limits = [],
  }: { readonly status: number; readonly error: string; readonly limits?: readonly string[] },
): void {
  const body = JSON.stringify({ error });
  const lines = [
    `HTTP/1.1 ${status} Refused`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...linesOf(limits),
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function linesOf(headers: readonly string[]): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${headers[at + 1]}` : []));
}

interface KeySessions {
  readonly key: string;
  readonly sessions: Set<SocketSession>;
  /** When the key stops being valid. */
  endsAtMs: number;
}

const LOOK_MS = 500;
const ENDED = 'the API key is not valid any more';

/**
 * Open sessions by the hash of their key. A session ends with its key: at once when the bus reports the end, otherwise
 * as soon as the key store knows. The key store notices an expiry by itself, and a revocation without a message once
 * its cached entry has expired.
 */
class SessionRegistry {
  readonly #keys: KeyStore;
  readonly #byHash = new Map<string, KeySessions>();
  readonly #looking: NodeJS.Timeout;

  constructor(keys: KeyStore) {
    this.#keys = keys;
    this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** @returns what to do when the session is over */
  add(hash: string, key: string, session: SocketSession): () => void {
    let group = this.#byHash.get(hash);
    if (group === undefined)
      this.#byHash.set(hash, (group = { key, sessions: new Set(), endsAtMs: Number.POSITIVE_INFINITY }));
    const { sessions } = group;
    sessions.add(session);
    return () => {
      sessions.delete(session);
      if (sessions.size === 0) this.#byHash.delete(hash);
    };
  }

  /** @param hash hexadecimal */
  revoke(hash: string, endsAtMs: number): void {
    const group = this.#byHash.get(hash.toLowerCase());
    if (group === undefined) return;
    group.endsAtMs = Math.min(group.endsAtMs, endsAtMs);
    if (Date.now() >= group.endsAtMs) end(group);
  }

  /** Ends every session when its calls in flight are answered. */
  leave(): void {
    for (const { sessions } of [...this.#byHash.values()])
      for (const session of [...sessions]) session.leave();
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    for (const group of [...this.#byHash.values()]) {
      if (Date.now() >= group.endsAtMs) end(group);
      // A database that does not answer does not prove the key invalid.
      else
        void this.#keys.findPrincipal(group.key).then(
          (principal) => principal === undefined && end(group),
          () => undefined,
        );
      for (const session of [...group.sessions]) session.look();
    }
  }
}

function end({ sessions }: KeySessions): void {
  for (const session of [...sessions]) session.end(1008, ENDED);
}
