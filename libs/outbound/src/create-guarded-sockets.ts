// SPDX-License-Identifier: Apache-2.0
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable } from './connect-to-any.ts';
import { hostOf } from './create-dial.ts';

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
