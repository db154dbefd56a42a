// SPDX-License-Identifier: Apache-2.0
import { isIP, connect, type Socket, type OnReadOpts } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import type { Dial } from '@chainwatch/chain-core';
import { connectToAny, findReachable } from './connect-to-any.ts';
import { ConnectTimeoutError } from './errors.ts';
import { hostOf } from './create-dial.ts';

export interface OpenerOptions {
  readonly dial: Dial | undefined;
  /** For look-up, connection, and TLS together. */
  readonly timeoutMs: number;
  readonly isSecure: boolean;
}

/** TLS sessions that are kept, which shorten the next handshake. */
const SESSIONS_MAX = 200;

/** Opens sockets to checked addresses, TLS included. */
export function createSocketOpener({
  dial,
  timeoutMs,
  isSecure,
}: OpenerOptions): (host: string, port: number) => Promise<Socket> {
  const sessions = new Map<string, Buffer>();
  return async (host, port) => {
    const untilMs = performance.now() + timeoutMs;
    const socket = await connectToAny({ host, port, dial, timeoutMs });
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    if (!isSecure) return socket;
    // What breaks it breaks the socket around it, too.
    socket.on('error', () => undefined);
    const key = `${host}:${port}`;
    const secured = connectSecurely({
      socket,
      // The certificate is checked for it; a literal address cannot be a server name.
      host,
      servername: isIP(host) === 0 ? host : '',
      session: sessions.get(key),
      ALPNProtocols: ['http/1.1'],
    }).on('session', (session: Buffer) => remember(sessions, key, session));
    const timeout = new ConnectTimeoutError(host, port, timeoutMs);
    await untilSecure(secured, timeout, untilMs - performance.now());
    return secured;
  };
}

/** The oldest ones go first. */
function remember(sessions: Map<string, Buffer>, key: string, session: Buffer): void {
  sessions.delete(key);
  sessions.set(key, session);
  if (sessions.size > SESSIONS_MAX) sessions.delete(sessions.keys().next().value!);
}

function untilSecure(socket: TLSSocket, timeout: Error, leftMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(timeout), Math.max(0, leftMs));
    socket.once('error', reject).once('close', () => clearTimeout(timer));
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve();
    });
  });
}

/**
 * Opens a socket and calls back when it is connected, TLS included. Its bytes go to `onread`; without one, to
 * whoever reads the socket. A failure is the socket's `error` event.
 * @throws BlockedAddressError where the origin is a literal address that may not be dialled
 */
export type OpenSocket = (onread: OnReadOpts | undefined, connected: () => void) => Socket;

/** Opens sockets to checked addresses of one origin, for a client with a protocol of its own. */
export function createGuardedSockets(
  dial: Dial,
  origin: string,
  { connectTimeoutMs }: { readonly connectTimeoutMs: number },
): OpenSocket {
  const url = new URL(origin);
  const isSecure = url.protocol === 'https:';
  const host = hostOf(url);
  const port = Number(url.port) || (isSecure ? 443 : 80);
  const lookup = lookupReachable(dial, { port, timeoutMs: connectTimeoutMs });
  const target = { host, port, lookup: lookup as never };
  // TLS session of the last handshake, which shortens the next one.
  let session: Buffer | undefined;
  return (onread, connected) => {
    // A literal address is never looked up by node's net, so it is checked here.
    dial.check(origin);
    const socket = isSecure
      ? connectSecurely({
          ...target,
          onread,
          session,
          servername: isIP(host) === 0 ? host : undefined,
          ALPNProtocols: ['http/1.1'],
        } as never)
      : connect({ ...target, onread } as never);
    const timer = setTimeout(
      () => socket.destroy(new Error(`expected a connection to ${url.host} within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    );
    return socket
      .setNoDelay(true)
      .setKeepAlive(true, 60_000)
      .on('session', (fresh: Buffer) => (session = fresh))
      .once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        connected();
      })
      .once('close', () => clearTimeout(timer));
  };
}

/**
 * A look-up whose answer is the one address of a host that takes connections: Node would give up each address after a
 * quarter of a second but the last one, so that a distant host with a dead last address is never reached.
 */
function lookupReachable(
  dial: Dial,
  { port, timeoutMs }: { readonly port: number; readonly timeoutMs: number },
): Dial['lookup'] {
  return (host, options, callback) => {
    const { all } = options as { readonly all?: boolean };
    findReachable({ host, port, dial, timeoutMs }).then(
      (address) =>
        all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address)),
      (error: Error) => callback(error, all ? [] : ''),
    );
  };
}
