// SPDX-License-Identifier: Apache-2.0
import { defineChannelKind } from '../define-channel-kind.ts';
import { isIP, Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { CompressionTypes, Kafka, logLevel, Partitioners, type ISocketFactory, type Producer } from 'kafkajs';
import type { Dial } from '@chainwatch/chain-core';
import { findReachable, hostOf } from '@chainwatch/outbound';
import type { ErrorCode } from '../attempt.ts';
import { eventKeyOf } from '../broker/event-key.ts';
import { boundScram } from '../broker/guard/guard-kafkajs.ts';
import { guardSocket } from '../broker/guard/guard-socket.ts';
import { followFrames, kafkaAnswer } from '../broker/guard/server-frames.ts';
import { Connections, type Connection, type Opening } from '../broker/keep-connections.ts';
import { causeOf, describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender, SendRequest, ChannelTarget } from '../sender.ts';
import { z } from 'zod';
import { includeProof } from '../include-proof.ts';

const text = z.string().min(1).max(1_024);
/** `host:port`, an IPv6 address in brackets. */
const broker = z
  .string()
  .max(300)
  .refine(
    (value) => {
      const url = URL.parse(`kafka://${value}`);
      return url !== null && url.port !== '' && url.host === value.toLowerCase();
    },
    { error: 'expected a server and its port, such as kafka.example.com:9093' },
  )
  .meta({ description: 'A server and its port.', examples: ['kafka.example.com:9093'] });
const brokers = z
  .array(broker)
  .min(1)
  .max(10)
  .meta({
    description: 'Bootstrap servers. The cluster reports the others, which pass the same check.',
    examples: [['kafka.example.com:9093']],
  });
const topic = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,249}$/, 'expected letters, digits, dots, hyphens, underscores')
  .refine((name) => !/^\.{1,2}$/.test(name), { error: 'expected more than dots' })
  .meta({ description: 'The topic; it is not created.', examples: ['payments'] });
const tls = z.boolean().meta({ description: 'Whether to speak TLS. Default true.', examples: [true] });

const mechanisms = {
  plain: 'KafkaAuthPlain',
  'scram-sha-256': 'KafkaAuthScramSha256',
  'scram-sha-512': 'KafkaAuthScramSha512',
} as const;
const names = Object.keys(mechanisms) as (keyof typeof mechanisms)[];
const kafkaAuth = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('none').meta({ description: 'No credentials.' }) })
      .meta({ id: 'KafkaAuthNone' }),
    ...names.map((type) =>
      z
        .strictObject({
          type: z.literal(type).meta({ description: 'The SASL mechanism.' }),
          username: text.meta({ description: 'The user.', examples: ['chainwatch'] }),
          password: text.meta({ description: 'Its password.', examples: ['correct horse'] }),
        })
        .meta({ id: mechanisms[type] }),
    ),
  ])
  .meta({ id: 'KafkaAuth' });

const kafkaStored = {
  brokers,
  topic,
  tls,
  ...includeProof,
  auth: z
    .object({ type: z.enum(['none', ...names]).meta({ description: 'Kind of credentials.' }) })
    .meta({ description: 'Which credentials are stored; they themselves are not shown.' }),
};
const kafkaCredentials = z.object({ auth: kafkaAuth.default({ type: 'none' }) });
type KafkaTarget = ChannelTarget<
  z.output<z.ZodObject<typeof kafkaStored>>,
  z.output<typeof kafkaCredentials>
>;

/** Members of a request beside the credentials. */
const kafkaInput = { brokers, topic, tls: tls.optional(), ...includeProof };

/** A topic of a Kafka cluster of a customer. */
export const kafka = defineChannelKind({
  kind: 'kafka',
  docs: {
    title: 'Kafka',
    description: 'A topic of a Kafka cluster.',
    create: 'Create a channel that writes to your own Kafka topic',
    update: 'Change a Kafka channel; new brokers or another topic make a failed channel active again',
    createExample: {
      name: 'Payments',
      brokers: ['kafka.example.com:9093'],
      topic: 'payments',
      auth: { type: 'scram-sha-512', username: 'chainwatch', password: 'correct horse' },
    },
    updateExample: { topic: 'payments-v2' },
  },
  input: kafkaInput,
  secrets: { auth: kafkaAuth.optional().meta({ description: 'Credentials for the cluster, write-only.' }) },
  stored: kafkaStored,
  defaults: { events: 'movements', config: { tls: true, auth: { type: 'none' } } },
  credentials: kafkaCredentials,
  async check(given, { checkUrl }) {
    for (const server of given.brokers ?? []) await checkUrl(`kafka://${server}`, ['kafka:']);
  },
  seal: ({ auth }) => (auth === undefined || auth.type === 'none' ? null : { auth }),
  mask: ({ auth }) => ({ auth: { type: auth?.type ?? 'none' } }),
  isNewTarget: (given, before) =>
    (given.brokers !== undefined && given.brokers.join() !== before.brokers.join()) ||
    (given.topic !== undefined && given.topic !== before.topic) ||
    (given.tls !== undefined && given.tls !== before.tls) ||
    given.auth !== undefined,
  options: { idleMs: 60_000 },
  // The client may change the order of messages that it is given at once.
  limits: () => ({ concurrency: 1 }),
  createSender: ({ dial }, { idleMs }) => createKafkaSender({ dial, idleMs }),
});

// cspell:ignore jssasl
interface Customer extends Connection {
  readonly producer: Producer;
}

/** Writes the event's bytes, keyed by its address, and waits for all replicas in sync: one client for each cluster and its credentials. */
function createKafkaSender({
  dial,
  idleMs,
}: {
  readonly dial: Dial;
  readonly idleMs: number;
}): Sender<KafkaTarget> {
  const connections = new Connections<KafkaTarget, Customer>({
    keyOf: ({ config, credentials }) => JSON.stringify([config.brokers, config.tls, credentials.auth]),
    open: (target, opening) => open(target, opening, dial),
    idleMs,
  });
  return {
    send: (request) => {
      const { brokers, topic } = request.target.config;
      return publishOnce({
        request: { url: `kafka://${brokers.join(',')}`, subject: topic, headers: describeMessage(request) },
        answerMs: request.answerMs,
        publish: (sent) =>
          connections.through(request.target, request.timeoutMs, ({ producer }) => {
            sent();
            return write(producer, request);
          }),
        classify,
      });
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
  { timeoutMs, signal }: Opening,
  dial: Dial,
): Promise<Customer> {
  // The library opens sockets again by itself.
  const ended = new AbortController();
  const destroy = (): void => ended.abort();
  signal.addEventListener('abort', destroy);
  const kafka = new Kafka({
    clientId: 'chainwatch',
    brokers: config.brokers.map(hideColons),
    ssl: config.tls,
    ...(auth.type !== 'none' && {
      sasl: auth.type === 'plain' ? { ...auth, mechanism: auth.type } : boundScram(auth.type, auth),
    }),
    socketFactory: guardedSockets({ timeoutMs, signal: ended.signal }, dial),
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
    destroy();
    await producer.disconnect().catch(() => undefined);
    throw error;
  }
  return {
    producer,
    isClosed: () => isClosed,
    onClosed: (listener) => void closed.then(listener),
    close: () => producer.disconnect(),
    destroy,
  };
}

/** The library takes what stands before the first colon for the host, and an underscore is in no address. */
function hideColons(server: string): string {
  return server.replace(/^\[.*\]/, (address) => address.replaceAll(':', '_'));
}

/** Every server, those that the cluster names too, passes the guard before a byte goes to it. */
function guardedSockets({ timeoutMs, signal }: Opening, dial: Dial): ISocketFactory {
  return ({ host: given, port, ssl, onConnect }) => {
    signal.throwIfAborted();
    const name = given.startsWith('[') ? given.replaceAll('_', ':') : given;
    const host = hostOf(new URL(`kafka://${isIP(name) === 6 ? `[${name}]` : name}`));
    const raw = new Socket({ signal });
    findReachable({ host, port, dial, timeoutMs })
      // One that was destroyed meanwhile would live again.
      .then((address) => raw.destroyed || raw.connect({ host: address, port }))
      .catch((error: Error) => raw.destroy(error));
    const socket = ssl
      ? connectSecurely({ ...ssl, socket: raw, host, servername: isIP(host) === 0 ? host : '' })
      : raw;
    if (ssl) raw.on('error', (error) => socket.destroy(error));
    return socket.once(ssl ? 'secureConnect' : 'connect', () => {
      // Node gives a socket its own methods again when it connects it.
      guardSocket(socket, followFrames(kafkaAnswer));
      onConnect();
    });
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
