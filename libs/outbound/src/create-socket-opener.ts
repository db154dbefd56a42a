// SPDX-License-Identifier: Apache-2.0
import { isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import type { Dial } from '@chainwatch/chain-core';
import { connectToAny } from './connect-to-any.ts';
import { ConnectTimeoutError } from './errors.ts';

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
