// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('what can be done with deliveries', () => {
  let world: SpecWorld;
  let channelId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    channelId = (await world.api.post('/channels').send({ name: 'x', url: 'https://1.1.1.1' }).expect(201))
      .body.id;
  });
  const addDelivery = async (status: string, age = '0 s'): Promise<string> => {
    const { body } = await world.api.post(`/channels/${channelId}/actions/test`).expect(202);
    const { rows } = await world.db.query(
      `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, attempt_count, created_at)
       SELECT $4, project_id, $1, event_id, type, $2, 12, now() - $3::interval FROM event_log WHERE event_id = $5 ON CONFLICT (channel_id, event_id) DO UPDATE SET status = $2, attempt_count = 12, is_test = false, created_at = excluded.created_at RETURNING id`,
      [channelId, status, age, randomUUID(), body.event_id],
    );
    return rows[0].id;
  };

  it.each(Object.keys(EVENT_SCHEMAS))('a test message of %s has the shape of a real one', async (type) => {
    const { body } = await world.api
      .post(`/channels/${channelId}/actions/test`)
      .send({ event_type: type })
      .expect(202);
    expect(body).toMatchObject({
      channel_id: channelId,
      event_type: type,
      status: 'pending',
      is_test_message: true,
      attempt_count: 0,
    });
    const { body: event } = await world.api.get(`/events/${body.event_id}`).expect(200);
    expect(EVENT_SCHEMAS[type as keyof typeof EVENT_SCHEMAS].strict().parse(event)).toMatchObject({
      type,
      is_test_message: true,
      sequence: 0,
    });
    const { rows } = await world.db.query('SELECT id, payload FROM event_log WHERE event_id = $1', [
      body.event_id,
    ]);
    expect(
      (
        await world.db.query(
          'SELECT FROM unpublished_events WHERE event_row_id = $1 UNION ALL SELECT FROM undispatched_events WHERE event_row_id = $1',
          [rows[0].id],
        )
      ).rowCount,
    ).toBe(0);
    expect(JSON.parse(rows[0].payload)).toEqual(event);
    // Nothing stands behind what was made up.
    expect(rows[0].payload).not.toMatch(/"verification":"/);
  });

  it('a test message is of transaction.detected by default, and for every status of the channel', async () => {
    await world.api.post(`/channels/${channelId}/actions/archive`).expect(200);
    expect(
      (await world.api.post(`/notification_channels/${channelId}/actions/test`).send({}).expect(202)).body,
    ).toMatchObject({ event_type: 'transaction.detected', status: 'pending' });
    await world.api
      .post(`/channels/${channelId}/actions/test`)
      .send({ event_type: 'transaction.lost' })
      .expect(400);
    await world.api.post(`/channels/${randomUUID()}/actions/test`).expect(404);
  });

  it('what arrived or failed is sent again, and keeps its log', async () => {
    for (const status of ['delivered', 'failed', 'discarded']) {
      const id = await addDelivery(status);
      await world.db.query(
        `INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, request) VALUES (gen_random_uuid(), $1, 12, now(), 5, 500, '{}')`,
        [id],
      );
      const { body } = await world.api
        .post(`/channels/${channelId}/deliveries/${id}/actions/redeliver`)
        .expect(202);
      expect(body).toMatchObject({ id, status: 'held', attempt_count: 12, last_error: null });
      expect(
        (await world.api.get(`/channels/${channelId}/deliveries/${id}`).expect(200)).body.attempts,
      ).toHaveLength(1);
      const { rows } = await world.db.query('SELECT attempt_base FROM deliveries WHERE id = $1', [id]);
      expect(rows).toEqual([{ attempt_base: 12 }]);
    }
  });

  it('what is on its way is left alone, and what nobody knows any more is 409', async () => {
    const id = await addDelivery('pending');
    expect(
      (await world.api.post(`/channels/${channelId}/deliveries/${id}/actions/redeliver`).expect(202)).body,
    ).toMatchObject({ status: 'pending' });
    expect((await world.db.query('SELECT attempt_base FROM deliveries WHERE id = $1', [id])).rows).toEqual([
      { attempt_base: 0 },
    ]);
    const old = await addDelivery('failed');
    await world.db.query(
      'DELETE FROM event_log WHERE event_id = (SELECT event_id FROM deliveries WHERE id = $1)',
      [old],
    );
    await world.api.post(`/channels/${channelId}/deliveries/${old}/actions/redeliver`).expect(409);
  });

  it('everything that did not arrive in a time is recovered', async () => {
    const recent = [await addDelivery('failed', '1 hour'), await addDelivery('discarded', '2 hours')];
    const others = [
      await addDelivery('delivered', '1 hour'),
      await addDelivery('failed', '5 hours'),
      await addDelivery('failed', '1 minute'),
    ];
    const at = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
    const recover = (body: object) =>
      world.api.post(`/channels/${channelId}/deliveries/actions/recover`).send(body);
    expect((await recover({ since: at(3), until: at(0.5) }).expect(202)).body).toEqual({
      recovered_count: 2,
    });
    const { body } = await world.api.get(`/channels/${channelId}/deliveries?statuses=held`).expect(200);
    expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual([...recent].sort());
    expect((await recover({ since: at(6) }).expect(202)).body).toEqual({ recovered_count: 2 });
    expect(
      (await world.api.get(`/channels/${channelId}/deliveries/${others[0]}`).expect(200)).body.status,
    ).toBe('delivered');
    await recover({ since: at(1), until: at(2) }).expect(400);
    await recover({}).expect(400);
  });

  it('what was made at `until` itself is not recovered, what was made a millisecond before is', async () => {
    const [before, at] = [await addDelivery('failed'), await addDelivery('failed')];
    for (const [id, madeAt] of [
      [before, '2026-01-01T00:00:00.499Z'],
      [at, '2026-01-01T00:00:00.500Z'],
    ])
      await world.db.query('UPDATE deliveries SET created_at = $2 WHERE id = $1', [id, madeAt]);
    const statuses = async (): Promise<string[]> =>
      Promise.all(
        [before, at].map(
          async (id) =>
            (await world.api.get(`/channels/${channelId}/deliveries/${id}`).expect(200)).body.status,
        ),
      );
    const recover = (since: string, until: string) =>
      world.api
        .post(`/channels/${channelId}/deliveries/actions/recover`)
        .send({ since, until })
        .expect(202, { recovered_count: 1 });
    await recover('2026-01-01T00:00:00.499Z', '2026-01-01T00:00:00.500Z');
    expect(await statuses()).toEqual(['held', 'failed']);
    await recover('2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00.501Z');
    expect(await statuses()).toEqual(['held', 'held']);
  });

  it('what is of a day that is about to be dropped is sent no more', async () => {
    const id = await addDelivery('failed');
    const close = (at: string): Promise<unknown> =>
      world.db.query(
        `UPDATE event_partitions SET closed_at = ${at} WHERE number = (SELECT row_id / event_partition_rows() FROM event_keys
         WHERE event_id = (SELECT event_id FROM deliveries WHERE id = $1))`,
        [id],
      );
    const recover = async (): Promise<number> =>
      (
        await world.api
          .post(`/channels/${channelId}/deliveries/actions/recover`)
          .send({ since: new Date(0).toISOString() })
          .expect(202)
      ).body.recovered_count;
    await close('now()');
    await world.api.post(`/channels/${channelId}/deliveries/${id}/actions/redeliver`).expect(409);
    expect(await recover()).toBe(0);
    await close('NULL');
    expect(await recover()).toBe(1);
  });

  it('events are listed for 30 days, by type, chain, transaction and time', async () => {
    const add = async (event: {
      type?: string;
      chain?: string;
      age?: string;
      held?: boolean;
    }): Promise<string> => {
      const { type = 'transaction.detected', chain = 'eip155:1', age = '1 minute', held = false } = event;
      const { rows } = await world.db.query(
        `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, is_held, created_at, transaction_id)
         SELECT gen_random_uuid(), project_id, $2, $1, 1, 'tx.detected', replace(payload, event_id::text, $6), $3, now() - $4::interval, $5 FROM event_log WHERE type = $1 LIMIT 1 RETURNING event_id`,
        [type, chain, held, age, randomUUID(), randomUUID()],
      );
      return rows[0].event_id;
    };
    for (const type of ['transaction.detected', 'balance.changed'])
      await world.api.post(`/channels/${channelId}/actions/test`).send({ event_type: type }).expect(202);
    const [base, other] = [
      await add({}),
      await add({ type: 'balance.changed', chain: 'tron:0x2b6653dc', age: '2 hours' }),
    ];
    const [old, held] = [await add({ age: '31 days' }), await add({ held: true })];
    const total = async (query: string): Promise<number> =>
      (await world.api.get(`/events?${query}`).expect(200)).body.meta.total;
    expect(await total('chain_gids=tron:mainnet')).toBe(1);
    expect(
      await total(
        `chain_gids=eip155:1&types=transaction.detected&since=${new Date(Date.now() - 3_600_000).toISOString()}`,
      ),
    ).toBe(1);
    expect(
      await total(`chain_gids=tron:0x2b6653dc&since=${new Date(Date.now() - 3_600_000).toISOString()}`),
    ).toBe(0);
    expect(await total('since=2001-01-01T00:00:00Z&chain_gids=eip155:1')).toBe(1);
    for (const id of [base, other]) await world.api.get(`/events/${id}`).expect(200);
    for (const id of [old, held]) await world.api.get(`/events/${id}`).expect(404);
  });
});
