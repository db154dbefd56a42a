// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

let world: SpecWorld;
const ids = { transaction: randomUUID(), delivery: randomUUID(), attempt: randomUUID(), event: randomUUID() };
let channelId: string;
let addressId: string;

beforeAll(async () => {
  world = await startSpecWorld();
  await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
  addressId = (
    await world.api
      .post('/addresses/external')
      .send({ value: ADDRESS, chain_family: 'evm', label: 'Customer 42 %_' })
      .expect(201)
  ).body.id;
  channelId = (
    await world.api.post('/channels').send({ name: 'Orders', url: 'https://1.1.1.1/' }).expect(201)
  ).body.id;
  const { projectId } = world.project;
  await world.db.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations) VALUES ($1, $2, 'eip155:1', $3, 'detected', 'in', 12)`,
    [ids.transaction, projectId, HASH],
  );
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, payload) VALUES ($1, $2, 'eip155:1', 'transaction.detected', 1, $3, 'tx.detected', '{}')`,
    [ids.event, projectId, ids.transaction],
  );
  await world.db.query(
    `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, $4, 'transaction.detected', 'delivered')`,
    [ids.delivery, projectId, channelId, ids.event],
  );
  await world.db.query(
    `INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, request) VALUES ($1, $2, 1, now(), 5, '{}')`,
    [ids.attempt, ids.delivery],
  );
});
afterAll(() => world.stop());

type Hit = Readonly<Record<string, unknown>>;
const find = async (text: string, key = world.project.keys.api): Promise<Hit[]> =>
  (await world.send('get', `/v1/search?q=${encodeURIComponent(text)}`, key).expect(200)).body.items;

const wanted = (): [string, Hit[]][] => [
  [ADDRESS, [{ type: 'address', id: addressId, title: ADDRESS, label: 'Customer 42 %_' }]],
  [ADDRESS.toLowerCase(), [{ type: 'address', id: addressId }]],
  [ADDRESS.slice(4, 12).toLowerCase(), [{ type: 'address', id: addressId }]],
  ['customer 42', [{ type: 'address', id: addressId }]],
  ['2 %_', [{ type: 'address', id: addressId }]],
  [
    HASH,
    [{ type: 'transaction', id: ids.transaction, title: HASH, status: 'detected', chain_gid: 'eip155:1' }],
  ],
  [HASH.toUpperCase().replace('0X', '0x'), [{ type: 'transaction', id: ids.transaction }]],
  [HASH.slice(0, 10), [{ type: 'transaction', id: ids.transaction }]],
  [HASH.slice(0, 6).toUpperCase().replace('0X', '0x'), [{ type: 'transaction', id: ids.transaction }]],
  [HASH.slice(0, 5), []],
  [ids.transaction, [{ type: 'transaction', id: ids.transaction }]],
  [
    ids.event,
    [
      { type: 'event', id: ids.event, title: 'transaction.detected' },
      { type: 'delivery', id: ids.delivery, channel_id: channelId, label: 'Orders', status: 'delivered' },
    ],
  ],
  [ids.delivery.toUpperCase(), [{ type: 'delivery', id: ids.delivery }]],
  [ids.attempt, [{ type: 'delivery', id: ids.delivery }]],
  [channelId, [{ type: 'channel', id: channelId, title: 'Orders', status: 'active' }]],
  [addressId, [{ type: 'address', id: addressId }]],
  ['rder', [{ type: 'channel', id: channelId }]],
];

it('finds each thing by all that it is known by, once', async () => {
  for (const [text, hits] of wanted()) {
    const found = await find(text);
    expect([text, found]).toEqual([text, hits.map((hit) => expect.objectContaining(hit))]);
  }
});

it('finds the same for nobody else, and nothing that a key may not read', async () => {
  const { body: reader } = await world.management
    .post('/management/keys')
    .send({
      type: 'api',
      name: 'channels alone',
      project_id: world.project.projectId,
      permissions: ['api:notification_channel:read'],
    })
    .expect(201);
  for (const [text, hits] of wanted()) {
    for (const key of Object.values(world.otherProject.keys))
      expect([text, await find(text, key)]).toEqual([text, []]);
    expect((await find(text, reader.key)).map(({ type }) => type)).toEqual(
      hits.map(({ type }) => type).filter((type) => type === 'channel'),
    );
  }
});

it('a management key finds by the id of a request what that request changed, in its own workspace', async () => {
  const { headers } = await world.management.post('/management/projects').send({ name: 'one' }).expect(201);
  const requestId = headers['x-request-id']!;
  expect(await find(requestId, world.project.keys.management)).toMatchObject([
    { type: 'audit_log', title: 'project.created' },
  ]);
  expect(await find(requestId, world.otherProject.keys.management)).toEqual([]);
  expect(await find(requestId)).toEqual([]);
});

it('answers at most eight of a type', async () => {
  for (let index = 0; index < 12; index += 1)
    await world.api
      .post('/channels')
      .send({ name: `many ${index}`, url: 'https://1.1.1.1/' })
      .expect(201);
  expect(await find('many')).toHaveLength(8);
});

it.each(['', '?q=', '?q=%20', `?q=${'x'.repeat(257)}`, '?q=a&x=1'])('refuses %s', async (query) => {
  await world.api.get(`/search${query}`).expect(400);
});
