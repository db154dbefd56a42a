// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  await world.api.post('/blockchains').send({ chain_gid: 'eip155:1' }).expect(201);
});
afterAll(() => world.stop());

const read = async (key = world.project.keys.api) =>
  (await world.send('get', '/v1/stats', key).expect(200)).body;

function insertEvents(
  type: string,
  count: number,
  ago: string,
  more: { kind?: string; held?: boolean } = {},
) {
  return world.db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, is_held, payload, created_at)
     SELECT gen_random_uuid(), $1, 'eip155:1', $2, NULL, $3, $4, '{}', date_trunc('minute', now()) - $5::interval FROM generate_series(1, $6)`,
    [world.project.projectId, type, more.kind ?? 'tx.detected', more.held ?? false, ago, count],
  );
}

it('counts what the project has, and what others have for them', async () => {
  const { body: channel } = await world.api
    .post('/channels')
    .send({ name: 'a', url: 'https://1.1.1.1/' })
    .expect(201);
  await world.api
    .post('/addresses/external')
    .send({ value: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', chain_family: 'evm' })
    .expect(201);
  await world.db.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, required_confirmations)
     SELECT gen_random_uuid(), $1, 'eip155:1', status || n, status, 'in', 12 FROM unnest(ARRAY['detected','confirmed','confirmed']) WITH ORDINALITY AS t (status, n)`,
    [world.project.projectId],
  );
  await world.db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status)
     SELECT $1, $2, gen_random_uuid(), 'transaction.detected', status FROM unnest(ARRAY['delivered','failed','failed']) AS status`,
    [world.project.projectId, channel.id],
  );
  await insertEvents('transaction.detected', 3, '2 minutes');
  await insertEvents('transaction.confirmed', 2, '2 minutes');
  await insertEvents('transaction.detected', 1, '2 hours');
  await insertEvents('transaction.detected', 1, '2 minutes', { kind: 'test' });
  await insertEvents('transaction.detected', 1, '2 minutes', { held: true });
  const stats = await read();
  expect(stats).toMatchObject({
    address_count: 1,
    transactions: { pending: 0, detected: 1, confirmed: 2, reorged: 0, failed: 0 },
    channels: { active: 1, failing: 0, failed: 0, archived: 0 },
    deliveries: { pending: 0, held: 0, delivered: 1, failed: 2, discarded: 0 },
    events: { minutes: [{ count: 5 }] },
  });
  expect(await read(world.otherProject.keys.api)).toMatchObject({
    address_count: 0,
    transactions: { confirmed: 0 },
    channels: { active: 0 },
    deliveries: { failed: 0 },
    events: { minutes: [] },
  });
});

it('shows no figure of what the key may not read', async () => {
  const { body } = await world.management
    .post('/management/keys')
    .send({ type: 'api', name: 'e', project_id: world.project.projectId, permissions: ['api:event:read'] })
    .expect(201);
  expect(await read(body.key)).toEqual({
    address_count: null,
    transactions: null,
    channels: null,
    deliveries: null,
    events: { since: expect.any(String), minutes: [expect.objectContaining({ count: 5 })] },
  });
});

it('looks at a bounded number of events, and says from when its minutes are complete', async () => {
  await insertEvents('transaction.detected', 4_990, '10 minutes');
  await insertEvents('transaction.detected', 100, '30 minutes');
  const { events } = await read();
  const ages = events.minutes.map(({ at, count }: { at: string; count: number }) => [
    Math.round((Date.parse(events.minutes.at(-1).at) - Date.parse(at)) / 60_000),
    count,
  ]);
  // A minute may begin between the two insertions.
  expect(ages).toEqual([
    [expect.any(Number), 4_990],
    [0, 5],
  ]);
  expect(Math.abs(ages[0][0] - 8)).toBeLessThanOrEqual(1);
  expect(Date.parse(events.minutes[0].at)).toBeGreaterThanOrEqual(Date.parse(events.since));
});
