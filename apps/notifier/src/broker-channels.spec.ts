import { connect as connectToRabbit } from 'amqplib';
import { Redis } from 'ioredis';
import { Kafka, logLevel } from 'kafkajs';
import {
  findFreePort,
  findKcat,
  findRabbitMq,
  startKafkaMock,
  startRabbitMq,
  startRedis,
  waitFor,
} from '@chainwatch/testing';
import { giveWorlds, type World } from './spec-world.ts';

/** A message as the destination's own client reads it. */
interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key?: string;
}

interface Destination {
  /** Of a channel, for a stream, queue or topic of this name. */
  configOf(name: string): { readonly url: string; readonly config: object; readonly credentials?: object };
  /** All messages, in order. */
  read(name: string): Promise<readonly Message[]>;
  /** SIGKILL, and again with what it had written. Absent: it keeps nothing. */
  restart?(): Promise<void>;
  stop(): Promise<void>;
}

async function startRedisDestination(): Promise<Destination> {
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

async function startRabbitDestination(): Promise<Destination> {
  const server = await startRabbitMq();
  const declared = new Set<string>();
  const known = new Map<string, Message[]>();
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
          expect(message.properties.deliveryMode).toBe(2);
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

async function startKafkaDestination(): Promise<Destination> {
  const mock = await startKafkaMock();
  const kafka = new Kafka({ brokers: [...mock.brokers], logLevel: logLevel.NOTHING });
  return {
    configOf: (name) => ({ url: '', config: { brokers: mock.brokers.slice(0, 1), topic: name, tls: false } }),
    async read(name) {
      const admin = kafka.admin();
      await admin.connect();
      const offsets = await admin.fetchTopicOffsets(name).finally(() => admin.disconnect());
      const wanted = offsets.reduce((sum, { high }) => sum + Number(high), 0);
      const messages: Message[] = [];
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

let world: World;
giveWorlds((given) => ({ world } = given));
const attempts = (): Promise<Record<string, unknown>[]> =>
  world.rows('SELECT error_code, response_body, request FROM delivery_attempts ORDER BY started_at');

const KINDS = [
  { kind: 'redis_stream', start: startRedisDestination, isThere: true },
  { kind: 'rabbitmq', start: startRabbitDestination, isThere: findRabbitMq() !== undefined },
  { kind: 'kafka', start: startKafkaDestination, isThere: findKcat() !== undefined },
];

for (const { kind, start, isThere } of KINDS) {
  if (!isThere) process.stdout.write(`skipped: the server for ${kind} is not installed\n`);
  (isThere ? describe : describe.skip)(`a channel of kind ${kind}`, () => {
    let destination: Destination;
    beforeAll(async () => {
      destination = await start();
    }, 120_000);
    afterAll(() => destination.stop());
    const addChannel = (
      name: string,
      more: { config?: object; credentials?: object } = {},
    ): Promise<string> => {
      const { url, config, credentials } = destination.configOf(name);
      return world.addChannel(url, {
        kind,
        config: { ...config, ...more.config },
        credentials: 'credentials' in more ? more.credentials : credentials,
      });
    };

    test('gets the exact bytes with their names beside them, in order, and shows no secret', async () => {
      await destination.read('plain').catch(() => undefined);
      await addChannel('plain');
      await world.start();
      const sent: string[] = [];
      for (let count = 0; count < 30; count += 1)
        sent.push(await world.emit({ type: 'balance.changed', addresses: [{ address: `a${count % 3}` }] }));
      for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
      const messages = await destination.read('plain');
      // Kafka keeps the order of a key.
      const keys = new Set(messages.map(({ key }) => key));
      const placeOf = (id: string): number =>
        messages.findIndex(({ headers }) => headers['X-Webhook-Event-Id'] === id);
      for (const key of keys) {
        const ids = messages
          .filter((message) => message.key === key)
          .map(({ headers }) => headers['X-Webhook-Event-Id']!);
        expect(ids).toEqual(sent.filter((id) => messages[placeOf(id)]?.key === key));
      }
      expect(messages).toHaveLength(sent.length);
      expect(keys.size).toBe(kind === 'kafka' ? 3 : 1);
      const payloads = await world.rows<{ event_id: string; payload: string }>(
        'SELECT event_id, payload FROM event_log',
      );
      const known = new Map(payloads.map(({ event_id: id, payload }) => [id, payload]));
      for (const { body, headers } of messages) expect(body).toBe(known.get(headers['X-Webhook-Event-Id']!));
      expect(new Set(messages.map(({ headers }) => headers['X-Webhook-Event']))).toEqual(
        new Set(['balance.changed']),
      );
      if (kind === 'kafka')
        for (const { key, body } of messages)
          expect(key).toBe(
            (JSON.parse(body) as { data: { addresses: { address: string }[] } }).data.addresses[0]!.address,
          );
      expect(JSON.stringify(await attempts())).not.toMatch(/hunter2|"guest"/);
    }, 60_000);

    test('tries again until the server is there', async () => {
      const port = await findFreePort();
      const { config } = destination.configOf('late');
      const away = 'brokers' in config ? { brokers: [`127.0.0.1:${port}`] } : {};
      const url = destination.configOf('late').url.replace(/:\d+$/, `:${port}`);
      await world.addChannel(url, { kind, config: { ...config, ...away } });
      await world.start({ scheduleMs: [0, 60_000] });
      await world.emit();
      await waitFor(async () => (await attempts()).length === 1);
      expect((await attempts())[0]).toMatchObject({ error_code: 'connection_refused' });
    });

    test('is never dialled at a blocked address', async () => {
      const { config } = destination.configOf('x');
      const blocked = 'brokers' in config ? { brokers: ['10.255.255.1:9092'] } : {};
      await world.addChannel(`${kind === 'rabbitmq' ? 'amqp' : 'redis'}://10.255.255.1:5000`, {
        kind,
        config: { ...config, ...blocked },
      });
      await world.start({ scheduleMs: [0, 60_000] });
      await world.emit();
      await waitFor(async () => (await attempts()).length === 1);
      expect((await attempts())[0]).toMatchObject({ error_code: 'blocked_address' });
    });

    if (kind !== 'kafka')
      test('says what the server refuses', async () => {
        const credentials = { auth: { type: 'user', username: 'eve', password: 'wrong' } };
        await addChannel('plain', { credentials });
        await world.start({ scheduleMs: [0, 60_000] });
        await world.emit();
        await waitFor(async () => (await attempts()).length === 1);
        expect((await attempts())[0]).toMatchObject({ error_code: 'authentication_failed' });
      });

    if (kind !== 'kafka')
      test('loses nothing where the server is killed, and what comes twice has the same id', async () => {
        await destination.read('killed');
        await addChannel('killed');
        await world.start({ scheduleMs: [0, ...Array<number>(200).fill(100)], probeIntervalMs: 100 });
        const sent: string[] = [];
        for (let kill = 0; kill < 3; kill += 1) {
          for (let count = 0; count < 20; count += 1) sent.push(await world.emit());
          await destination.restart!();
        }
        for (const eventId of sent) await world.waitForStatus(eventId, 'delivered', 60_000);
        const ids = (await destination.read('killed')).map(({ headers }) => headers['X-Webhook-Event-Id']!);
        expect(new Set(ids)).toEqual(new Set(sent));
      }, 180_000);
  });
}

(findRabbitMq() ? describe : describe.skip)('RabbitMQ', () => {
  let destination: Destination;
  beforeAll(async () => {
    destination = await startRabbitDestination();
  }, 120_000);
  afterAll(() => destination.stop());

  test.each([
    ['no queue is bound for nowhere', { routing_key: 'nowhere' }],
    ['NOT_FOUND - no exchange', { exchange: 'missing', routing_key: 'x' }],
  ])('has not taken what %s', async (text, config) => {
    const { url, credentials } = destination.configOf('x');
    await world.addChannel(url, { kind: 'rabbitmq', config, credentials });
    await world.start({ scheduleMs: [0, 60_000] });
    await world.emit();
    await waitFor(async () => (await attempts()).length === 1);
    const [attempt] = await attempts();
    expect(attempt).toMatchObject({
      error_code: 'not_acknowledged',
      response_body: expect.stringContaining(text),
    });
  });
});
