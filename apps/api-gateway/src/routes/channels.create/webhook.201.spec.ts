// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const url = 'https://1.1.1.1/hook';

describe('webhook channels', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld({ label: 'acmeo', settings: { allowHttpWebhooks: false } });
  });
  afterAll(() => world.stop());

  it.each(['/notification_channels/webhook', '/channels', '/channels/webhook'])(
    'are created at %s, with the secret shown once',
    async (path) => {
      const { body } = await world.api.post(path).send({ name: 'Orders', url }).expect(201);
      const { webhook_secret: secret, ...record } = body;
      expect(secret).toMatch(/^acmeo_whsec_[0-9A-Za-z]{30}$/);
      expect(record).toMatchObject({
        kind: 'webhook',
        name: 'Orders',
        config: {
          url,
          headers: {},
          auth: { type: 'none' },
          event_types: ['transaction.detected', 'transaction.confirmed'],
          filters: {},
          standard_webhooks: false,
          throttle_per_second: null,
        },
        is_archived: false,
        status: 'active',
        failed_at: null,
      });
      expect((await world.api.get(`/notification_channels/${record.id}`).expect(200)).body).toEqual(record);
      expect((await world.api.get(`/channels/${record.id}`).expect(200)).body).toEqual(record);
      const { rows } = await world.db.query(
        `SELECT id, secret_sealed, mask FROM webhook_secrets WHERE channel_id = $1 AND state = 'current'`,
        [record.id],
      );
      expect(world.deps.sealer.open(rows[0].secret_sealed, `webhook_secret:${rows[0].id}`)).toBe(secret);
      expect(rows[0].mask).toBe(`acmeo_whsec_****${secret.slice(-4)}`);
    },
  );

  it('keep credentials sealed and out of every answer', async () => {
    const auth = { type: 'basic', username: 'ada', password: 'hunter2' };
    const config = {
      headers: { 'X-Team': 'ops' },
      event_types: ['balance.changed', 'balance.changed'],
      filters: {
        direction: 'in',
        min_amount: '0.1',
        groups: ['shop-7'],
        metadata: { live: true, till: 7 },
        verification: ['proved', 'agreed'],
        reasons: ['withdrawal', 'atomic'],
      },
      standard_webhooks: true,
      throttle_per_second: 5,
    };
    const { body } = await world.api
      .post('/channels')
      .send({ name: 'Auth', url, auth, ...config })
      .expect(201);
    expect(body.config).toEqual({
      url,
      ...config,
      event_types: ['balance.changed'],
      auth: { type: 'basic' },
    });
    const { rows } = await world.db.query(
      'SELECT config::text, credentials_sealed FROM notification_channels WHERE id = $1',
      [body.id],
    );
    expect(rows[0].config + rows[0].credentials_sealed).not.toContain('hunter2');
    expect(JSON.parse(world.deps.sealer.open(rows[0].credentials_sealed, `channel:${body.id}`))).toEqual({
      auth,
    });
  });

  it.each<[string, object]>([
    ['name', { url }],
    ['name', { name: '', url }],
    ['name', { name: 'x'.repeat(256), url }],
    ['url', { name: 'x' }],
    ['url', { name: 'x', url: 'http://1.1.1.1/' }],
    ['url', { name: 'x', url: 'ftp://1.1.1.1/' }],
    ['url', { name: 'x', url: 'https://user:pass@1.1.1.1/' }],
    ['url', { name: 'x', url: `https://1.1.1.1/${'x'.repeat(2_100)}` }],
    ['headers.X-Webhook-Signature', { name: 'x', url, headers: { 'X-Webhook-Signature': 'x' } }],
    ['headers.host', { name: 'x', url, headers: { host: 'x' } }],
    ['headers.Authorization', { name: 'x', url, headers: { Authorization: 'x' } }],
    ['headers.a', { name: 'x', url, headers: { a: 'x\r\ny: z' } }],
    [
      'headers',
      { name: 'x', url, headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, ''])) },
    ],
    ['auth.token', { name: 'x', url, auth: { type: 'bearer' } }],
    ['auth.type', { name: 'x', url, auth: { type: 'oauth' } }],
    ['event_types[0]', { name: 'x', url, event_types: ['transaction.lost'] }],
    ['event_types', { name: 'x', url, event_types: [] }],
    ['filters.chain_gids[0]', { name: 'x', url, filters: { chain_gids: ['ethereum'] } }],
    ['filters.min_amount', { name: 'x', url, filters: { min_amount: '-1' } }],
    ['filters.groups', { name: 'x', url, filters: { groups: [] } }],
    ['filters.groups[0]', { name: 'x', url, filters: { groups: [''] } }],
    ['filters.metadata', { name: 'x', url, filters: { metadata: {} } }],
    ['filters.metadata.tags', { name: 'x', url, filters: { metadata: { tags: ['a'] } } }],
    ['filters.reasons', { name: 'x', url, filters: { reasons: [] } }],
    ['filters.reasons[0]', { name: 'x', url, filters: { reasons: ['lottery'] } }],
    ['filters.verification', { name: 'x', url, filters: { verification: [] } }],
    ['filters.verification', { name: 'x', url, filters: { verification: ['proved', 'proved'] } }],
    ['filters.verification', { name: 'x', url, filters: { verification: 'proved' } }],
    ['filters.verification[1]', { name: 'x', url, filters: { verification: ['proved', 'sworn'] } }],
    ['filters.color', { name: 'x', url, filters: { color: 'red' } }],
    ['throttle_per_second', { name: 'x', url, throttle_per_second: 0 }],
    ['retries', { name: 'x', url, retries: 1 }],
  ])('are refused for %s in %j', async (field, body) => {
    const { body: problem } = await world.api.post('/channels').send(body).expect(400);
    expect(problem.fields.map(({ name }: { name: string }) => name)).toContain(field);
    expect(JSON.stringify(problem.fields)).not.toContain('pass@');
  });

  it.each([
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::ffff:10.0.0.1]/',
    'https://0x0a000001/',
  ])('are 422 for %s', async (blocked) => {
    const { body } = await world.api.post('/channels').send({ name: 'x', url: blocked }).expect(422);
    expect(body.detail).toContain('blocked');
  });

  it('change what is given and nothing else', async () => {
    const created = (
      await world.api
        .post('/channels')
        .send({ name: 'A', url, headers: { 'x-a': '1' }, auth: { type: 'bearer', token: 't' } })
        .expect(201)
    ).body;
    const path = `/notification_channels/webhook/${created.id}`;
    expect((await world.api.patch(path).send({ name: 'B' }).expect(200)).body).toMatchObject({
      name: 'B',
      config: created.config,
    });
    const { body } = await world.api
      .patch(path)
      .send({ auth: { type: 'none' }, event_types: ['transaction.reorged'], throttle_per_second: 2 })
      .expect(200);
    expect(body.config).toMatchObject({
      url,
      headers: { 'x-a': '1' },
      auth: { type: 'none' },
      event_types: ['transaction.reorged'],
      throttle_per_second: 2,
    });
    expect(body.webhook_secret).toBeUndefined();
    await world.api.patch(path).send({}).expect(400);
    await world.api.patch(path).send({ url: 'https://10.0.0.1' }).expect(422);
    await world.api
      .patch('/channels/webhook/00000000-0000-4000-8000-000000000000')
      .send({ name: 'C' })
      .expect(404);
  });

  it('are archived and restored, again and again, and deliver what was held meanwhile', async () => {
    const { id } = (await world.api.post('/channels').send({ name: 'Held', url }).expect(201)).body;
    const path = `/notification_channels/${id}`;
    for (let i = 0; i < 2; i += 1)
      expect((await world.api.post(`${path}/actions/archive`).expect(200)).body).toMatchObject({
        is_archived: true,
        status: 'archived',
      });
    const insert = (event: string) =>
      world.db.query(
        `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) VALUES ($1, $2, $3, 'transaction.detected', 'held')`,
        [world.project.projectId, id, event],
      );
    await insert('00000000-0000-4000-8000-000000000001');
    for (let i = 0; i < 2; i += 1)
      expect((await world.api.post(`${path}/actions/restore`).expect(200)).body).toMatchObject({
        is_archived: false,
        status: 'active',
      });
    const { body: list } = await world.api.get(`${path}/deliveries?statuses=held`).expect(200);
    expect(list.items).toMatchObject([
      { event_id: '00000000-0000-4000-8000-000000000001', channel_id: id, attempt_count: 0 },
    ]);
    const deliveryId = list.items[0].id;
    await world.db.query(
      `INSERT INTO delivery_attempts (id, delivery_id, number, started_at, duration_ms, status_code, request) VALUES (gen_random_uuid(), $1, 1, now(), 12, 500, '{"url":"x"}')`,
      [deliveryId],
    );
    expect(
      (await world.api.get(`/channels/${id}/deliveries/${deliveryId}`).expect(200)).body.attempts,
    ).toMatchObject([{ number: 1, status_code: 500, duration_ms: 12 }]);
    await world.db.query(
      `UPDATE notification_channels SET status = 'failed', failed_at = now(), failure_reason = '410' WHERE id = $1`,
      [id],
    );
    await insert('00000000-0000-4000-8000-000000000002');
    expect((await world.api.get(path).expect(200)).body).toMatchObject({
      status: 'failed',
      failure_reason: '410',
    });
    expect((await world.api.post(`${path}/actions/restore?held=discard`).expect(200)).body).toMatchObject({
      status: 'active',
      failed_at: null,
    });
    expect((await world.api.get(`${path}/deliveries?statuses=discarded`).expect(200)).body.meta.total).toBe(
      2,
    );
  });

  it('become active again with a new URL', async () => {
    const { id } = (await world.api.post('/channels').send({ name: 'Failed', url }).expect(201)).body;
    await world.db.query(
      `UPDATE notification_channels SET status = 'failed', failed_at = now() WHERE id = $1`,
      [id],
    );
    expect((await world.api.patch(`/channels/webhook/${id}`).send({ url }).expect(200)).body.status).toBe(
      'failed',
    );
    expect(
      (await world.api.patch(`/channels/webhook/${id}`).send({ url: 'https://1.0.0.1/' }).expect(200)).body,
    ).toMatchObject({ status: 'active', failed_at: null });
  });

  it('are listed, found and deleted', async () => {
    const { id } = (await world.api.post('/channels').send({ name: '100%_sure', url }).expect(201)).body;
    const names = async (query: string) =>
      (await world.api.get(`/notification_channels?${query}`).expect(200)).body.items.map(
        (item: { name: string }) => item.name,
      );
    expect(await names('search=%25_S')).toEqual(['100%_sure']);
    expect((await names('sort_by=name'))[0]).toBe('100%_sure');
    expect(await names('kind=nats')).toEqual([]);
    expect(await names('is_archived=true')).toEqual([]);
    await world.api.delete(`/channels/${id}`).expect(204);
    await world.api.delete(`/channels/${id}`).expect(404);
  });
});
