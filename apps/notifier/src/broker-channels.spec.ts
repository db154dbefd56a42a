// SPDX-License-Identifier: Apache-2.0
import { findFreePort, findKcat, findRabbitMq, waitFor } from '@chainwatch/testing';
import {
  startKafkaDestination,
  startRabbitDestination,
  startRedisDestination,
  type Destination,
} from '@chainwatch/testing/destinations';
import { giveWorlds, type World } from './spec-world.ts';

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

    test('gets CloudEvents of a few members by the key of the whole event', async () => {
      await destination.read('shaped').catch(() => undefined);
      await addChannel('shaped', { config: { format: 'cloudevents', fields: ['data.transaction.hash'] } });
      await world.start();
      const eventId = await world.emit({ addresses: [{ address: 'a1' }] });
      await world.waitForStatus(eventId, 'delivered');
      const [message] = await destination.read('shaped');
      expect(message!.headers).toMatchObject({
        'content-type': 'application/cloudevents+json',
        'X-Webhook-Event-Id': eventId,
      });
      expect(JSON.parse(message!.body)).toMatchObject({ specversion: '1.0', id: eventId });
      expect((JSON.parse(message!.body) as { data: object }).data).toEqual({ transaction: { hash: '0x1' } });
      if (kind === 'kafka') expect(message!.key).toBe('a1');
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
        await world.start({ scheduleMs: [0, ...Array<number>(200).fill(1_000)], probeIntervalMs: 100 });
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
