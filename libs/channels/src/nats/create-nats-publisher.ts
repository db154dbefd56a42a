// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import {
  headers as createHeaders,
  type NatsConnection,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
  type Authenticator,
  type ConnectionOptions,
} from '@nats-io/transport-node';
import type { Dial } from '@chainwatch/chain-core';
import { NotAcknowledgedError } from '../broker/errors.ts';
import { Connections, type Connection, type Opening } from '../broker/keep-connections.ts';
import type { NatsTarget } from './nats-config.ts';
import { isIP } from 'node:net';
import { findReachable, hostOf } from '@chainwatch/outbound';
import { connectGuardedNats } from '../broker/guard/guard-nats.ts';
import type { NatsAuth } from './nats-auth.ts';

export interface NatsMessage {
  readonly subject: string;
  readonly payload: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Told when it is on its way. */
  readonly sent?: () => void;
}

/** What the server said: a stream stored the message, or the server took it for whoever is subscribed. */
export type NatsReceipt =
  | { readonly stream: string; readonly sequence: number; readonly isDuplicate: boolean }
  | { readonly stream: undefined };

export interface NatsPublisher {
  /** @throws when it is not proved that the server has it */
  publish(target: NatsTarget, message: NatsMessage, timeoutMs: number): Promise<NatsReceipt>;
  close(): Promise<void>;
}

export interface NatsPublisherOptions {
  readonly dial: Dial;
  /** A connection that nothing went through for so long is closed, default 60,000. */
  readonly idleMs?: number;
}

interface Customer extends Connection {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** By subject that was published to: whether a stream takes it, and when that was looked up. */
  readonly streams: Map<string, { readonly isTaken: boolean; readonly atMs: number }>;
  /** What the server refused, by subject. Of other subjects nothing is kept: the server may say what it wants. */
  readonly refusals: Map<string, Error>;
}

const STREAM_LOOKUP_MS = 1_000;
const STREAM_KNOWN_MS = 30_000;

/** Publishes to servers of customers: one connection for each server and its credentials. */
export function createNatsPublisher({ dial, idleMs = 60_000 }: NatsPublisherOptions): NatsPublisher {
  const connections = new Connections<NatsTarget, Customer>({
    keyOf: ({ config, credentials }) => JSON.stringify([config.url, credentials.auth]),
    open: (target, opening) => open(target, opening, dial),
    idleMs,
  });
  return {
    publish: (target, message, timeoutMs) =>
      connections.through(target, timeoutMs, (customer, leftMs) => publishTo(customer, message, leftMs)),
    close: () => connections.close(),
  };
}

async function open(target: NatsTarget, opening: Opening, dial: Dial): Promise<Customer> {
  const connection = await connectToCustomer(target, opening, dial);
  const known: Pick<Customer, 'streams' | 'refusals'> = { streams: new Map(), refusals: new Map() };
  void noteRefusals(connection, known);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: STREAM_LOOKUP_MS });
  return {
    connection,
    client: jetstream(connection),
    manager,
    ...known,
    isClosed: () => connection.isClosed(),
    onClosed: (listener) => void connection.closed().then(listener),
    close: () => connection.close(),
    // Closed, it has no socket.
    destroy: () => undefined,
    isRefusal: (error) => [...known.refusals.values()].some((refusal) => refusal === error),
  };
}

async function publishTo(customer: Customer, message: NatsMessage, timeoutMs: number): Promise<NatsReceipt> {
  customer.refusals.delete(message.subject);
  const isTaken = await isTakenByStream(customer, message.subject);
  message.sent?.();
  if (isTaken) return publishToStream(customer, message, timeoutMs);
  return publishAndFlush(customer, message);
}

async function publishToStream(
  customer: Customer,
  message: NatsMessage,
  timeoutMs: number,
): Promise<NatsReceipt> {
  try {
    const ack = await customer.client.publish(message.subject, message.payload, {
      msgID: message.messageId,
      headers: headersOf(message),
      timeout: timeoutMs,
    });
    return { stream: ack.stream, sequence: ack.seq, isDuplicate: ack.duplicate };
  } catch (error) {
    // The stream may be gone, so the next message looks for it again.
    customer.streams.set(message.subject, { isTaken: true, atMs: -Infinity });
    throw customer.refusals.get(message.subject) ?? new NotAcknowledgedError(error);
  }
}

/** The server answers our ping after whatever it has to say about the message. */
async function publishAndFlush(customer: Customer, message: NatsMessage): Promise<NatsReceipt> {
  customer.connection.publish(message.subject, message.payload, { headers: headersOf(message) });
  await customer.connection.flush();
  await nextTurn();
  const refusal = customer.refusals.get(message.subject);
  if (refusal !== undefined) throw refusal;
  return { stream: undefined };
}

/** Servers without JetStream, and accounts that may not ask, count as having no stream. */
async function isTakenByStream({ manager, streams }: Customer, subject: string): Promise<boolean> {
  const known = streams.get(subject);
  if (known !== undefined && Date.now() - known.atMs < STREAM_KNOWN_MS) return known.isTaken;
  const isTaken = await manager.streams.find(subject).then(
    () => true,
    () => false,
  );
  streams.set(subject, { isTaken, atMs: Date.now() });
  return isTaken;
}

async function noteRefusals(
  connection: NatsConnection,
  { streams, refusals }: Pick<Customer, 'streams' | 'refusals'>,
): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type !== 'error') continue;
    const { error } = status;
    if ('subject' in error && typeof error.subject === 'string' && streams.has(error.subject))
      refusals.set(error.subject, error);
  }
}

function headersOf({ messageId, headers }: NatsMessage) {
  const all = createHeaders();
  all.set('Nats-Msg-Id', messageId);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  return all;
}

const DEFAULT_PORT = '4222';

/**
 * Connects to the address that answers, of those that the dial has checked, and to no other one: the client neither resolves the
 * name itself nor follows other servers that a cluster announces. After a lost connection call it again.
 */
async function connectToCustomer(
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
