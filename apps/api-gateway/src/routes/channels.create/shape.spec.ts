// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

const KINDS = {
  webhook: { name: 'w', url: 'https://1.1.1.1/hook' },
  nats: { name: 'n', url: 'nats://1.1.1.1:4222', subject: 'payments' },
  http_batch: { name: 'h', url: 'https://1.1.1.1/events' },
  kafka: { name: 'k', brokers: ['1.1.1.1:9093'], topic: 'payments' },
  rabbitmq: { name: 'r', url: 'amqp://1.1.1.1', routing_key: 'payments' },
  redis_stream: { name: 's', url: 'redis://1.1.1.1', stream: 'payments' },
};
const TEXTS = {
  telegram: { name: 't', bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 42 },
  slack: { name: 's', url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX' },
};
const FIELDS = ['data.transaction.hash', 'data.transaction.transfers.amount', 'data.addresses.metadata.shop'];

it.each(Object.entries(KINDS))(
  'a %s channel takes fields and a format, shows, and drops them',
  async (kind, body) => {
    const path = `/notification_channels/${kind}`;
    const { body: plain } = await world.api.post(path).send(body).expect(201);
    expect(plain.config).not.toHaveProperty('fields');
    expect(plain.config).not.toHaveProperty('format');
    const { body: made } = await world.api
      .post(path)
      .send({ ...body, fields: FIELDS, format: 'cloudevents' })
      .expect(201);
    expect(made.config).toMatchObject({ fields: FIELDS, format: 'cloudevents' });
    const { body: changed } = await world.api
      .patch(`${path}/${made.id}`)
      .send({ fields: null, format: 'native' })
      .expect(200);
    expect(changed.config.format).toBe('native');
    expect(changed.config).not.toHaveProperty('fields');
  },
);

it.each([
  [
    { fields: ['data', 'data.amount'] },
    'fields[1]',
    'expected a member of events such as "data.transaction.hash", got "data.amount"',
  ],
  [{ fields: ['data.transaction.hash.length'] }, 'fields[0]', 'got "data.transaction.hash.length"'],
  [{ fields: ['data.__proto__'] }, 'fields[0]', 'got "data.__proto__"'],
  [{ fields: [] }, 'fields', ''],
  [{ fields: Array.from({ length: 51 }, () => 'data') }, 'fields', ''],
  [{ fields: [`data.addresses.metadata.${'a'.repeat(200)}`] }, 'fields[0]', ''],
  [{ fields: 'data' }, 'fields', ''],
  [{ format: 'avro' }, 'format', ''],
])('refuses %j, and names %s', async (more, name, reason) => {
  const { body: refused } = await world.api
    .post('/channels')
    .send({ ...KINDS.webhook, ...more })
    .expect(400);
  expect(refused.fields).toEqual([{ name, reason: expect.stringContaining(reason) as string }]);
});

it.each(Object.entries(TEXTS))('a %s channel refuses both: its messages are texts', async (kind, body) => {
  for (const [name, value] of Object.entries({ fields: FIELDS, format: 'cloudevents' })) {
    const { body: refused } = await world.api
      .post(`/notification_channels/${kind}`)
      .send({ ...body, [name]: value })
      .expect(400);
    expect(refused.fields).toEqual([expect.objectContaining({ name })]);
  }
});
