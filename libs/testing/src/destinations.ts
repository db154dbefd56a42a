// SPDX-License-Identifier: Apache-2.0
import { connect as connectToRabbit } from 'amqplib';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import { startKafkaMock, type KafkaMock } from './start-kafka-mock.ts';
import { startRabbitMq } from './start-rabbitmq.ts';
import { startRedis } from './start-redis.ts';
import { waitFor } from './wait-for.ts';

/** A message as the destination's own client reads it. */
export interface DestinationMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key?: string;
}

export interface Destination {
  /** Of a channel, for a stream, queue or topic of this name. */
  configOf(name: string): { readonly url: string; readonly config: object; readonly credentials?: object };
  /** All messages, in order. */
  read(name: string): Promise<readonly DestinationMessage[]>;
  /** SIGKILL, and again with what it had written. Absent: it keeps nothing. */
  restart?(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedisDestination(): Promise<Destination> {
  const args = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const server = await startRedis({ args: [...args, '--user', 'ada', 'on', '>hunter2', '~*', '+@all'] });
  return {
    configOf: (name) => ({
      url: server.url,
      config: { stream: name },
      credentials: { auth: { type: 'user', username: 'ada', password: 'hunter2' } },
    }),
    async read(name) {
      const redis = new Redis(server.url, { retryStrategy: () => null });
      const entries = await redis.xrange(name, '-', '+').finally(() => redis.disconnect());
      return entries.map(([, fields]) => {
        const pairs = Array.from({ length: fields.length / 2 }, (_, at) => fields.slice(2 * at, 2 * at + 2));
        const { payload, ...headers } = Object.fromEntries(pairs) as Record<string, string>;
        return { body: payload!, headers };
      });
    },
    restart: () => server.restart(),
    stop: () => server.stop(),
  };
}

export async function startRabbitDestination(): Promise<Destination> {
  const server = await startRabbitMq();
  const declared = new Set<string>();
  const known = new Map<string, DestinationMessage[]>();
  const withChannel = async <T>(
    work: (
      channel: Awaited<ReturnType<Awaited<ReturnType<typeof connectToRabbit>>['createChannel']>>,
    ) => Promise<T>,
  ): Promise<T> => {
    const connection = await connectToRabbit(server.url);
    connection.on('error', () => undefined);
    try {
      return await work(await connection.createChannel());
    } finally {
      await connection.close().catch(() => undefined);
    }
  };
  return {
    configOf: (name) => ({
      url: server.url,
      config: { routing_key: name },
      credentials: { auth: { type: 'user', username: 'guest', password: 'guest' } },
    }),
    async read(name) {
      const messages = known.get(name) ?? [];
      known.set(name, messages);
      await withChannel(async (channel) => {
        if (!declared.has(name)) await channel.assertQueue(name, { durable: true });
        declared.add(name);
        for (;;) {
          const message = await channel.get(name);
          if (message === false) return;
          channel.ack(message);
          messages.push({
            body: message.content.toString(),
            headers: message.properties.headers as Record<string, string>,
          });
        }
      });
      return messages;
    },
    restart: () => server.restart(),
    stop: () => server.stop(),
  };
}

export async function startKafkaDestination(): Promise<Destination & Pick<KafkaMock, 'brokers'>> {
  const mock = await startKafkaMock();
  const kafka = new Kafka({ brokers: [...mock.brokers], logLevel: logLevel.NOTHING });
  return {
    brokers: mock.brokers,
    configOf: (name) => ({ url: '', config: { brokers: mock.brokers.slice(0, 1), topic: name, tls: false } }),
    async read(name) {
      const admin = kafka.admin();
      await admin.connect();
      const offsets = await admin.fetchTopicOffsets(name).finally(() => admin.disconnect());
      // The oldest may be gone.
      const wanted = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
      const messages: DestinationMessage[] = [];
      if (wanted === 0) return messages;
      const consumer = kafka.consumer({ groupId: `read-${Math.random()}` });
      await consumer.connect();
      await consumer.subscribe({ topic: name, fromBeginning: true });
      await consumer.run({
        eachMessage: async ({ message }) => {
          const headers = Object.entries(message.headers ?? {}).map(([key, value]) => [key, String(value)]);
          messages.push({
            body: String(message.value),
            headers: Object.fromEntries(headers) as Record<string, string>,
            key: String(message.key),
          });
        },
      });
      await waitFor(async () => messages.length >= wanted).finally(() => consumer.disconnect());
      return messages;
    },
    stop: () => mock.stop(),
  };
}
