import { setImmediate as nextTurn } from 'node:timers/promises';
import { jetstream, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { headers as createHeaders, type NatsConnection } from '@nats-io/transport-node';
import type { Dial } from '@chainwatch/chain-core';
import { connectToCustomer } from './connect-to-customer.ts';
import { ConnectionLostError, NotAcknowledgedError, TimeoutError } from './errors.ts';
import type { NatsTarget } from './nats-config.ts';

export interface NatsMessage {
  readonly subject: string;
  readonly payload: string;
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
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

interface Pooled {
  readonly connecting: Promise<Customer>;
  usedAtMs: number;
  underWay: number;
  /** A message went through it: the server may have closed it since. */
  isKept: boolean;
}

interface Customer {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  /** By subject that was published to: whether a stream takes it, and when that was looked up. */
  readonly streams: Map<string, { readonly isTaken: boolean; readonly atMs: number }>;
  /** What the server refused, by subject. Of other subjects nothing is kept: the server may say what it wants. */
  readonly refusals: Map<string, Error>;
  /** Told when the connection is closed: the client forgets what waits for an answer. */
  readonly waiting: Set<(error: Error) => void>;
}

const STREAM_LOOKUP_MS = 1_000;
const STREAM_KNOWN_MS = 30_000;
const CONNECTIONS_MAX = 1_000;

/** Publishes to servers of customers: one connection for each server and its credentials, closed when unused. */
export function createNatsPublisher({ dial, idleMs = 60_000 }: NatsPublisherOptions): NatsPublisher {
  const pool = new Map<string, Pooled>();
  const sweeping = setInterval(() => closeUnused(Date.now() - idleMs), Math.max(20, idleMs / 4));
  sweeping.unref();

  function take(target: NatsTarget, timeoutMs: number): Pooled {
    const key = JSON.stringify([target.config.url, target.credentials.auth]);
    const known = pool.get(key);
    if (known !== undefined) return known;
    if (pool.size >= CONNECTIONS_MAX) closeUnused(Infinity, 1);
    const pooled: Pooled = {
      connecting: open(target, dial, timeoutMs),
      usedAtMs: Date.now(),
      underWay: 0,
      isKept: false,
    };
    pool.set(key, pooled);
    const forget = (): void => {
      if (pool.get(key) === pooled) pool.delete(key);
    };
    pooled.connecting.then(({ connection }) => void connection.closed().then(forget), forget);
    return pooled;
  }

  function closeUnused(usedBeforeMs: number, countMax = Infinity): void {
    const unused = [...pool]
      .filter(([, { underWay, usedAtMs }]) => underWay === 0 && usedAtMs < usedBeforeMs)
      .sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    for (const [key, pooled] of unused.slice(0, countMax)) {
      pool.delete(key);
      void close(pooled);
    }
  }

  return {
    async publish(target, message, timeoutMs) {
      const untilMs = performance.now() + timeoutMs;
      const pooled = take(target, timeoutMs);
      const { isKept } = pooled;
      try {
        return await publishThrough(pooled, message, timeoutMs);
      } catch (error) {
        if (!isKept || !(error instanceof ConnectionLostError)) throw error;
        // The server closed it as the message came. Its id lets a stream drop what comes twice.
        const leftMs = Math.max(1, untilMs - performance.now());
        return publishThrough(take(target, leftMs), message, leftMs);
      }
    },
    async close() {
      clearInterval(sweeping);
      const open = [...pool.values()];
      pool.clear();
      await Promise.all(open.map(close));
    },
  };
}

async function open(target: NatsTarget, dial: Dial, timeoutMs: number): Promise<Customer> {
  const connection = await connectToCustomer(target, dial, timeoutMs);
  const known: Pick<Customer, 'streams' | 'refusals'> = { streams: new Map(), refusals: new Map() };
  void noteRefusals(connection, known);
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: STREAM_LOOKUP_MS });
  const waiting: Customer['waiting'] = new Set();
  void connection.closed().then((cause) => {
    for (const fail of waiting) fail(new ConnectionLostError(cause));
  });
  return { connection, client: jetstream(connection), manager, ...known, waiting };
}

async function publishThrough(pooled: Pooled, message: NatsMessage, timeoutMs: number): Promise<NatsReceipt> {
  pooled.underWay += 1;
  try {
    const receipt = await withDeadline(
      pooled.connecting.then((customer) => publishWhileOpen(customer, message, timeoutMs)),
      timeoutMs,
    );
    pooled.isKept = true;
    return receipt;
  } catch (error) {
    // A connection that hangs is not used again: the next message opens a new one.
    if (error instanceof TimeoutError) void close(pooled);
    throw error;
  } finally {
    pooled.underWay -= 1;
    pooled.usedAtMs = Date.now();
  }
}

/** @throws ConnectionLostError when the connection is closed meanwhile */
function publishWhileOpen(customer: Customer, message: NatsMessage, timeoutMs: number): Promise<NatsReceipt> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      const isLost = customer.connection.isClosed() && !customer.refusals.has(message.subject);
      reject(isLost && !(error instanceof ConnectionLostError) ? new ConnectionLostError(error) : error);
    };
    customer.waiting.add(fail);
    void publishTo(customer, message, timeoutMs)
      .then(resolve, fail)
      .finally(() => customer.waiting.delete(fail));
  });
}

function close({ connecting }: Pooled): Promise<void> {
  return connecting.then(({ connection }) => connection.close()).catch(() => undefined);
}

async function publishTo(customer: Customer, message: NatsMessage, timeoutMs: number): Promise<NatsReceipt> {
  customer.refusals.delete(message.subject);
  if (await isTakenByStream(customer, message.subject)) return publishToStream(customer, message, timeoutMs);
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

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
