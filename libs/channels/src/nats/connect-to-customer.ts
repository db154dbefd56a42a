// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import {
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
  type Authenticator,
  type ConnectionOptions,
  type NatsConnection,
} from '@nats-io/transport-node';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import { connectGuardedNats } from '../broker/guard/guard-nats.ts';
import type { Opening } from '../broker/keep-connections.ts';
import type { NatsAuth } from './nats-auth.ts';
import type { NatsTarget } from './nats-config.ts';

const DEFAULT_PORT = '4222';

/**
 * Connects to the address that answers, of those that the dial has checked, and to no other one: the client neither resolves the
 * name itself nor follows other servers that a cluster announces. After a lost connection call it again.
 */
export async function connectToCustomer(
  { config: { url }, credentials: { auth } }: NatsTarget,
  { timeoutMs, signal }: Opening,
  dial: Dial,
): Promise<NatsConnection> {
  const parsed = new URL(url);
  const host = hostOf(parsed);
  const port = parsed.port || DEFAULT_PORT;
  const address = await findReachable({ host, port: Number(port), dial, timeoutMs });
  const server = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const options = {
    servers: server,
    authenticator: authenticatorOf(auth),
    name: 'chainwatch',
    timeout: timeoutMs,
    reconnect: false,
    ignoreClusterUpdates: true,
    resolve: false,
    pingInterval: 20_000,
    maxPingOut: 2,
  };
  // The certificate must be valid for the name, or for the address where the URL has no name (an address
  // cannot be a server name, SNI). Without either, Node would check it for `localhost`. The type lacks these
  // options, which the client passes on to Node's tls.connect.
  const tls: ConnectionOptions['tls'] =
    isIP(host) === 0 ? ({ servername: host } as object) : ({ host } as object);
  if (parsed.protocol === 'tls:') return connectGuardedNats({ ...options, tls }, signal);
  try {
    return await connectGuardedNats(options, signal);
  } catch (error) {
    // A nats:// server that wants TLS shows a certificate for its name, which the client cannot know from the address.
    if (!isTlsError(error)) throw error;
    return connectGuardedNats({ ...options, tls }, signal);
  }
}

function authenticatorOf(auth: NatsAuth): Authenticator | Authenticator[] {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  switch (auth.type) {
    case 'none':
      return [];
    case 'user':
      return usernamePasswordAuthenticator(auth.username, auth.password);
    case 'token':
      return tokenAuthenticator(auth.token);
    case 'nkey':
      return nkeyAuthenticator(bytes(auth.seed));
    case 'creds':
      return credsAuthenticator(bytes(auth.creds));
  }
}

function isTlsError(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause)
    if ('code' in one && /^(ERR_TLS|CERT_|UNABLE_TO_)/.test(String(one.code))) return true;
  return false;
}
