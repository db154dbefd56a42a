// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

const EXPRESSION = 'event.data.transaction.transfers.exists(t, amount(t.amount) >= amount("0.5"))';
const KINDS = {
  webhook: { name: 'w', url: 'https://1.1.1.1/hook' },
  nats: { name: 'n', url: 'nats://1.1.1.1:4222', subject: 'payments' },
  kafka: { name: 'k', brokers: ['1.1.1.1:9093'], topic: 'payments' },
  telegram: { name: 't', bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 42 },
  slack: { name: 's', url: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX' },
};

it.each(Object.entries(KINDS))(
  'a %s channel takes an expression, shows it, and changes it',
  async (kind, body) => {
    const path = `/notification_channels/${kind}`;
    const { body: made } = await world.api
      .post(path)
      .send({ ...body, filters: { expression: EXPRESSION, direction: 'in' } })
      .expect(201);
    expect(made).toMatchObject({
      config: { filters: { expression: EXPRESSION, direction: 'in' } },
      expression_errors: null,
    });
    const { body: changed } = await world.api
      .patch(`${path}/${made.id}`)
      .send({ filters: { expression: 'true' } })
      .expect(200);
    expect(changed.config.filters).toEqual({ expression: 'true' });
    const { body: shown } = await world.api.get(`/notification_channels/${made.id}`).expect(200);
    expect(shown).toEqual(changed);
  },
);

it.each([
  ['event.type == "x" &&\n event.nothing == 1', 'line 2, column 8: events have no such member: "nothing"'],
  ['event.type == ', 'line 1, column 15: Unexpected token: EOF'],
  ['event.type.matches("(a+)+$")', 'line 1, column 1: regular expressions are not available'],
  ['event.data.transaction.transfers.exists(t, t.amount > 5)', 'line 1, column 44'],
])('refuses %j, and names the place', async (expression, reason) => {
  const { body: refused } = await world.api
    .post('/channels')
    .send({ ...KINDS.webhook, filters: { expression } })
    .expect(400);
  expect(refused.fields).toEqual([
    { name: 'filters.expression', reason: expect.stringContaining(reason) as string },
  ]);
  const { body: made } = await world.api.post('/channels').send(KINDS.webhook).expect(201);
  const { body: again } = await world.api
    .patch(`/notification_channels/webhook/${made.id}`)
    .send({ filters: { expression } })
    .expect(400);
  expect(again.fields).toEqual(refused.fields);
});

it.each(['', 'a'.repeat(2_001), 5, null])('refuses %j by its form', async (expression) => {
  const { body: refused } = await world.api
    .post('/channels')
    .send({ ...KINDS.webhook, filters: { expression } })
    .expect(400);
  expect(refused.fields).toEqual([expect.objectContaining({ name: 'filters.expression' })]);
});

it('shows what could not be evaluated, in the record and in the list, until the filters change', async () => {
  const { body: made } = await world.api
    .post('/channels')
    .send({ ...KINDS.webhook, filters: { expression: 'event.data.current == "5"' } })
    .expect(201);
  await world.db.query(
    `INSERT INTO channel_expression_errors VALUES ($1, 3, 'No such key: current', '2026-01-01T00:00:00Z')`,
    [made.id],
  );
  const errors = { count: 3, last_error: 'No such key: current', last_at: '2026-01-01T00:00:00.000Z' };
  const path = `/notification_channels/${made.id}`;
  expect((await world.api.get(path).expect(200)).body.expression_errors).toEqual(errors);
  const { body: list } = await world.api.get('/notification_channels').expect(200);
  expect(list.items.find(({ id }: { id: string }) => id === made.id).expression_errors).toEqual(errors);
  const change = (body: object) =>
    world.api.patch(`/notification_channels/webhook/${made.id}`).send(body).expect(200);
  expect((await change({ name: 'other' })).body.expression_errors).toEqual(errors);
  expect((await change({ filters: { expression: 'true' } })).body.expression_errors).toBeNull();
});
