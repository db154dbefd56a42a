// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';
import { SCENARIO_NAMES } from './handler.ts';

let world: SpecWorld;
let channelId: string;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  channelId = (
    await world.api.post('/channels').send({ name: 'x', url: 'https://1.1.1.1', sandbox: true }).expect(201)
  ).body.id;
});

const rehearse = (scenario: unknown, id = channelId) =>
  world.api.post(`/notification_channels/${id}/actions/rehearse`).send({ scenario });

it.each(SCENARIO_NAMES)(
  '%s: makes marked events for this one channel, in the order of the answer',
  async (scenario) => {
    await world.api.post('/channels').send({ name: 'other', url: 'https://1.1.1.1' }).expect(201);
    const { body } = await rehearse(scenario).expect(202);
    expect(body.scenario).toBe(scenario);
    const { rows } = await world.db.query(
      `SELECT d.id, d.event_id, d.event_type, d.is_test, d.status, d.rehearsal, l.payload, l.subject_kind FROM deliveries d
     JOIN event_keys k ON k.event_id = d.event_id JOIN event_log l ON l.id = k.row_id WHERE d.channel_id = $1 ORDER BY d.id`,
      [channelId],
    );
    expect(rows.map(({ id, event_id, event_type }) => ({ id, event_id, event_type }))).toEqual(
      body.deliveries,
    );
    expect(rows).toHaveLength({ burst: 1_000, reordered: 2, reorg: 3 }[scenario as string] ?? 1);
    for (const { payload, ...row } of rows) {
      const event = JSON.parse(payload) as { type: 'transaction.confirmed'; event_id: string };
      expect(EVENT_SCHEMAS[event.type].strict().parse(event)).toMatchObject({
        ...{ event_id: row.event_id, type: row.event_type, is_test_message: true },
      });
      expect(row).toMatchObject({ is_test: false, status: 'pending', subject_kind: 'test' });
      expect(row.rehearsal).toBe(['duplicate', 'slow', 'rotation'].includes(scenario) ? scenario : null);
    }
    const others = await world.db.query(
      `SELECT FROM deliveries WHERE channel_id <> $1 AND event_id = ANY($2::uuid[])
     UNION ALL SELECT FROM undispatched_events u JOIN event_log l ON l.id = u.event_row_id WHERE l.event_id = ANY($2::uuid[])`,
      [channelId, rows.map(({ event_id: id }) => id)],
    );
    expect(others.rowCount).toBe(0);
  },
);

it('tells of one transaction, with a sequence that says the right order', async () => {
  const read = async (scenario: string) => {
    const { body } = await rehearse(scenario).expect(202);
    return Promise.all(
      (body.deliveries as { event_id: string }[]).map(
        async ({ event_id: id }) => (await world.api.get(`/events/${id}`).expect(200)).body,
      ),
    );
  };
  const reordered = await read('reordered');
  expect(reordered.map(({ type, sequence }) => [type, sequence])).toEqual([
    ['transaction.confirmed', 2],
    ['transaction.detected', 1],
  ]);
  const reorg = await read('reorg');
  expect(reorg.map(({ type, sequence }) => [type, sequence])).toEqual([
    ['transaction.detected', 1],
    ['transaction.confirmed', 2],
    ['transaction.reorged', 3],
  ]);
  for (const events of [reordered, reorg])
    expect(new Set(events.map(({ data }) => data.transaction.hash)).size).toBe(1);
  const [late] = await read('late');
  expect(Date.now() - Date.parse(late.created_at)).toBeGreaterThan(3_590_000);
});

it('is for a sandbox alone, of this project, and names what is wrong', async () => {
  const { body: real } = await world.api
    .post('/channels')
    .send({ name: 'real', url: 'https://1.1.1.1' })
    .expect(201);
  expect((await rehearse('duplicate', real.id).expect(409)).body.detail).toContain('sandbox');
  await world.api.patch(`/notification_channels/webhook/${real.id}`).send({ sandbox: true }).expect(200);
  await rehearse('duplicate', real.id).expect(202);
  for (const scenario of ['', 'nonsense', 5, undefined, '__proto__', 'toString'])
    expect((await rehearse(scenario).expect(400)).body.fields[0].name).toBe('scenario');
  await rehearse('duplicate', randomUUID()).expect(404);
  await world.other
    .post(`/notification_channels/${channelId}/actions/rehearse`)
    .send({ scenario: 'late' })
    .expect(404);
  const { body: unsigned } = await world.api
    .post('/notification_channels/redis_stream')
    .send({ name: 'r', url: 'redis://1.1.1.1:6379', stream: 's', sandbox: true })
    .expect(201);
  expect((await rehearse('rotation', unsigned.id).expect(400)).body.fields[0].name).toBe('scenario');
  await world.api.post(`/notification_channels/${channelId}/actions/archive`).expect(200);
  await rehearse('duplicate').expect(409);
});
