// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { findNetwork } from '@chainwatch/chain-registry';
import { findChannelKind } from '@chainwatch/channels';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
let addressId: string;
beforeAll(async () => {
  world = await startSpecWorld();
  addressId = randomUUID();
});
afterAll(() => world.stop());

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const preview = (body: object) => world.api.post('/notification_channels/preview').send(body);

/** A copy of a made-up event with another id, type, chain, and age. Returns its bytes. */
async function insertEvent({
  type = 'transaction.confirmed',
  chain = 'eip155:1',
  days = 1,
  projectId = world.project.projectId,
}: {
  readonly type?: string;
  readonly chain?: string;
  readonly days?: number;
  readonly projectId?: string;
} = {}): Promise<string> {
  const { body: channel } = await world.api
    .post('/channels')
    .send({ name: 'x', url: 'https://1.1.1.1' })
    .expect(201);
  const { body: test } = await world.api
    .post(`/channels/${channel.id}/actions/test`)
    .send({ event_type: type })
    .expect(202);
  const { rows } = await world.db.query<{ payload: string }>(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, created_at, payload)
     SELECT $2::uuid, $3, $4, type, 1, 'tx.confirmed', $5,
       (payload::jsonb || jsonb_build_object('event_id', $2::text, 'is_test_message', false))::text
     FROM event_log WHERE event_id = $1 RETURNING payload`,
    [test.event_id, randomUUID(), projectId, chain, daysAgo(days)],
  );
  return rows[0]!.payload;
}

it('counts what a channel would have had, and shows the first of it', async () => {
  const wanted = [await insertEvent({ days: 3 }), await insertEvent({ days: 2 })];
  wanted.push(await insertEvent({ chain: 'tron:0x2b6653dc' }));
  await insertEvent({ type: 'transaction.failed' });
  await insertEvent({ days: 8 });
  await insertEvent({ projectId: world.otherProject.projectId });
  const { body } = await preview({ event_types: ['transaction.confirmed'], since: daysAgo(7) }).expect(200);
  expect(body).toEqual({
    since: expect.any(String),
    until: expect.any(String),
    is_complete: true,
    event_count: 3,
    counts: [
      { type: 'transaction.confirmed', chain_gid: 'eip155:1', count: 2 },
      { type: 'transaction.confirmed', chain_gid: 'tron:0x2b6653dc', count: 1 },
    ],
    events: wanted.map((payload) => JSON.parse(payload)),
    bodies: null,
  });
  const { body: none } = await preview({
    filters: { address_ids: [addressId] },
    since: daysAgo(7),
  }).expect(200);
  expect(none).toMatchObject({ event_count: 0, counts: [], events: [] });
  const until = daysAgo(2.5);
  const { body: part } = await preview({ since: daysAgo(7), until }).expect(200);
  expect(part).toMatchObject({ event_count: 1, until });
});

it('shows bodies as `fields` and `format` make them, and the events whole', async () => {
  const payload = await insertEvent({ days: 20 });
  const event = JSON.parse(payload);
  const window = { since: daysAgo(21), until: daysAgo(19) };
  const fields = ['data.transaction.hash', 'data.transaction.transfers.amount'];
  const { body: some } = await preview({ ...window, fields }).expect(200);
  expect(some.events).toEqual([event]);
  expect(some.bodies.map((body: string) => JSON.parse(body))).toEqual([
    {
      ...event,
      data: {
        transaction: {
          hash: event.data.transaction.hash,
          transfers: event.data.transaction.transfers.map(({ amount }: { amount: string }) => ({ amount })),
        },
      },
    },
  ]);
  const { body: cloud } = await preview({ ...window, kind: 'kafka', format: 'cloudevents' }).expect(200);
  expect(cloud.bodies.map((body: string) => JSON.parse(body))).toMatchObject([
    { specversion: '1.0', id: event.event_id, type: event.type, data: event.data },
  ]);
  const { body: native } = await preview({ ...window, format: 'native', fields: null }).expect(200);
  expect(native.bodies).toEqual([payload]);
});

it.each(['discord', 'email', 'slack', 'telegram'])('shows the text that people get by %s', async (kind) => {
  const event = JSON.parse(await insertEvent({ days: 24 }));
  const window = { since: daysAgo(25), until: daysAgo(23) };
  const { body } = await preview({ ...window, kind, event_types: [event.type] }).expect(200);
  const names = { findNetwork, publicUrl: undefined, findToken: () => undefined };
  const { events, bodies } = body as { events: unknown[]; bodies: string[] };
  expect(bodies).toEqual(events.map((one) => findChannelKind(kind)!.render([JSON.stringify(one)], names)));
  // The network by its name, not by its id.
  for (const text of bodies) expect(text).toContain('Ethereum');
  expect(bodies.length).toBeGreaterThan(0);
});

it('reads the kept days alone, and no time to come', async () => {
  const { body } = await preview({ since: '2001-01-01T00:00:00Z' }).expect(200);
  expect(Math.abs(Date.parse(body.since) - (Date.now() - 30 * DAY_MS))).toBeLessThan(60_000);
  const { body: ahead } = await preview({ since: daysAgo(1), until: daysAgo(-1) }).expect(200);
  expect(Math.abs(Date.parse(ahead.until) - Date.now())).toBeLessThan(60_000);
  const { body: before } = await preview({
    since: '2001-01-01T00:00:00Z',
    until: '2001-02-01T00:00:00Z',
  }).expect(200);
  expect(before).toMatchObject({ event_count: 0, is_complete: true });
});

it.each([
  [{}, 'since'],
  [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'since'],
  [{ since: 'monday' }, 'since'],
  [{ since: '2026-01-01T00:00:00Z', event_types: ['payment'] }, 'event_types[0]'],
  [{ since: '2026-01-01T00:00:00Z', filters: { direction: 'up' } }, 'filters.direction'],
  [
    { since: '2026-01-01T00:00:00Z', filters: { asset_gids: ['eip155:1/erc20:0x12'] } },
    'filters.asset_gids[0]',
  ],
  [{ since: '2026-01-01T00:00:00Z', url: 'https://1.1.1.1' }, 'url'],
  [{ since: '2026-01-01T00:00:00Z', fields: ['data.transaction.hash', 'data.nothing'] }, 'fields[1]'],
  [{ since: '2026-01-01T00:00:00Z', format: 'xml' }, 'format'],
  [{ since: '2026-01-01T00:00:00Z', kind: 'slack', format: 'cloudevents' }, 'format'],
])('names what is wrong with %j', async (body, name) => {
  const { body: problem } = await preview(body).expect(400);
  expect(problem.fields.map((one: { name: string }) => one.name)).toEqual([name]);
});

it('takes one of the two places of its workspace for bulk calls', async () => {
  const held = await Promise.all(
    [1, 2].map(async () => {
      const holder = randomUUID();
      const key = `bulk:${world.project.workspaceId}`;
      expect(await world.deps.cache.holdSlot({ key, holder, limit: 2, ttlSeconds: 60 })).toBe(true);
      return { key, holder };
    }),
  );
  await preview({ since: daysAgo(1) }).expect(429);
  for (const slot of held) await world.deps.cache.freeSlot(slot);
  await preview({ since: daysAgo(1) }).expect(200);
});

it('also needs the permission to read events', async () => {
  const { body: made } = await world.management
    .post('/management/keys')
    .send({
      ...{ type: 'api', name: 'k', project_id: world.project.projectId },
      permissions: ['api:notification_channel:write'],
    })
    .expect(201);
  const { body } = await world
    .clientOf(made.key)
    .post('/notification_channels/preview')
    .send({ since: daysAgo(1) })
    .expect(403);
  expect(body.detail).toContain('api:event:read');
});
