import { isIP, Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { CompressionTypes, Kafka, logLevel, Partitioners, type ISocketFactory, type Producer } from 'kafkajs';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import type { ErrorCode } from '../attempt.ts';
import { eventKeyOf } from '../broker/event-key.ts';
import { Connections, type Connection } from '../broker/keep-connections.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender, SendRequest } from '../sender.ts';
import type { KafkaTarget } from './kafka-config.ts';

interface Customer extends Connection {
  readonly producer: Producer;
}

/** Writes the event's bytes, keyed by its address, and waits for all replicas in sync: one client for each cluster and its credentials. */
export function createKafkaSender({
  dial,
  idleMs,
}: {
  readonly dial: Dial;
  readonly idleMs: number;
}): Sender<KafkaTarget> {
  const connections = new Connections<KafkaTarget, Customer>({
    keyOf: ({ config, credentials }) => JSON.stringify([config.brokers, config.tls, credentials.auth]),
    open: (target, timeoutMs) => open(target, dial, timeoutMs),
    idleMs,
  });
  return {
    send: (request) => {
      const { brokers, topic } = request.target.config;
      return publishOnce(
        { url: `kafka://${brokers.join(',')}`, subject: topic, headers: describeMessage(request) },
        () =>
          connections.through(request.target, request.timeoutMs, ({ producer }) => write(producer, request)),
        classify,
      );
    },
    close: () => connections.close(),
  };
}

async function write(producer: Producer, request: SendRequest<KafkaTarget>): Promise<object> {
  const { target, event, body, timeoutMs } = request;
  const [written] = await producer.send({
    topic: target.config.topic,
    acks: -1,
    timeout: timeoutMs,
    compression: CompressionTypes.None,
    messages: [{ key: eventKeyOf(event), value: body, headers: describeMessage(request) }],
  });
  return { partition: written?.partition, offset: written?.baseOffset };
}

async function open(
  { config, credentials: { auth } }: KafkaTarget,
  dial: Dial,
  timeoutMs: number,
): Promise<Customer> {
  const kafka = new Kafka({
    clientId: 'chainwatch',
    brokers: [...config.brokers],
    ssl: config.tls,
    ...(auth.type !== 'none' && {
      sasl: { mechanism: auth.type as 'plain', username: auth.username, password: auth.password },
    }),
    socketFactory: guardedSockets(dial, timeoutMs),
    connectionTimeout: timeoutMs,
    authenticationTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    // A leader that moved is looked for once; anything else is the schedule's.
    retry: { retries: 1, initialRetryTime: 100 },
    logLevel: logLevel.NOTHING,
  });
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    // Events of one address are written in their order.
    maxInFlightRequests: 1,
  });
  let isClosed = false;
  const closed = new Promise<void>((resolve) =>
    producer.on('producer.disconnect', () => {
      isClosed = true;
      resolve();
    }),
  );
  try {
    await producer.connect();
  } catch (error) {
    await producer.disconnect().catch(() => undefined);
    throw error;
  }
  return {
    producer,
    isClosed: () => isClosed,
    onClosed: (listener) => void closed.then(listener),
    close: () => producer.disconnect(),
  };
}

/** Every server, those that the cluster names too, passes the guard before a byte goes to it. */
function guardedSockets(dial: Dial, timeoutMs: number): ISocketFactory {
  return ({ host: given, port, ssl, onConnect }) => {
    const host = hostOf(
      new URL(`kafka://${given.includes(':') && !given.startsWith('[') ? `[${given}]` : given}`),
    );
    const socket = new Socket();
    findReachable({ host, port, dial, timeoutMs }).then(
      (address) => socket.connect({ host: address, port }),
      (error: Error) => socket.destroy(error),
    );
    if (!ssl) return socket.once('connect', onConnect);
    const secured = connectSecurely({ ...ssl, socket, host, servername: isIP(host) === 0 ? host : '' });
    socket.on('error', (error) => secured.destroy(error));
    return secured.once('secureConnect', onConnect);
  };
}

/** Types of Kafka's error codes. */
const TYPES: Readonly<Record<string, ErrorCode>> = {
  TOPIC_AUTHORIZATION_FAILED: 'permission_denied',
  CLUSTER_AUTHORIZATION_FAILED: 'permission_denied',
  SASL_AUTHENTICATION_FAILED: 'authentication_failed',
  ILLEGAL_SASL_STATE: 'authentication_failed',
  UNSUPPORTED_SASL_MECHANISM: 'authentication_failed',
};

function classify(error: unknown): ErrorCode | undefined {
  // The library wraps what it tried again, and what broke a connection.
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = causeOf(one), depth += 1) {
    if (one.name === 'KafkaJSSASLAuthenticationError') return 'authentication_failed';
    if (one.name === 'KafkaJSRequestTimeoutError') return 'timeout';
    if ('type' in one && typeof one.type === 'string') return TYPES[one.type] ?? 'not_acknowledged';
  }
  return undefined;
}

function causeOf(error: Error): unknown {
  return 'originalError' in error ? error.originalError : error.cause;
}
