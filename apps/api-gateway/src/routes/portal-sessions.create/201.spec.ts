// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { hashApiKey } from '@chainwatch/common/api-key';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';
import { deleteExpired } from '../../server/sweep-expired.ts';
import { openPortal } from '../../spec-support/portal.ts';

const READ = ['api:notification_channel:read', 'api:delivery:read'];

describe('POST /portal_sessions', () => {
  let world: SpecWorld;
  /** Another replica. */
  let twin: SpecWorld;
  let channelId: string;
  let foreignId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    twin = await startSpecWorld({ sharing: world, settings: { publicUrl: 'https://watch.example.com/' } });
    const make = async (client: SpecWorld['api']): Promise<string> =>
      (await client.post('/channels').send({ name: 'n', url: 'https://1.1.1.1/' }).expect(201)).body.id;
    [channelId, foreignId] = [await make(world.api), await make(world.other)];
  });
  afterAll(async () => {
    expect([...world.failures, ...twin.failures]).toEqual([]);
    await twin.stop();
    await world.stop();
  });

  const post = (body: object, client = world.api) =>
    client.post('/portal_sessions').send({ channel_ids: [channelId], ttl_seconds: 600, ...body });
  const makeKey = async (permissions: readonly string[]): Promise<string> =>
    (
      await world.management
        .post('/management/keys')
        .send({ type: 'api', name: 'k', project_id: world.project.projectId, permissions })
        .expect(201)
    ).body.key;

  it('answers the address with the token in its fragment, once, and keeps its hash alone', async () => {
    const { body, headers } = await post({ frame_origins: ['https://shop.example.com:8443'] }).expect(201);
    const { url, ...record } = body;
    const [page, token] = String(url).split('#') as [string, string];
    expect(page).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/ui/portal/${body.id}$`));
    expect(token).toMatch(/^svc_portal_[0-9A-Za-z]{36}$/);
    expect(record).toMatchObject({
      ...{ channel_ids: [channelId], permissions: READ },
      frame_origins: ['https://shop.example.com:8443'],
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(600_000);
    expect(headers.location).toBe(`/v1/portal_sessions/${body.id}`);
    expect((await world.api.get(`/portal_sessions/${body.id}`).expect(200)).body).toEqual(record);

    const { rows } = await world.db.query('SELECT token_hash FROM portal_sessions WHERE id = $1', [body.id]);
    expect(rows[0].token_hash).toEqual(Buffer.from(hashApiKey(token)));
    const { rows: tables } = await world.db.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables) {
      const { rows: hits } = await world.db.query(
        `SELECT FROM "${name}" t WHERE position($1 IN to_jsonb(t)::text) > 0`,
        [token.slice('svc_portal_'.length)],
      );
      expect([name, hits.length]).toEqual([name, 0]);
    }
  });

  it('leads to where people reach the service', async () => {
    const { body } = await post({}, twin.api).expect(201);
    expect(body.url).toContain(`https://watch.example.com/ui/portal/${body.id}#svc_portal_`);
  });

  it('is in the audit log from its making to its end, without its token', async () => {
    const { body } = await post({ permissions: [...READ, 'api:delivery:replay'] }).expect(201);
    await world.api.delete(`/portal_sessions/${body.id}`).expect(204);
    await world.api.delete(`/portal_sessions/${body.id}`).expect(404);
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${body.id}&sort_by=created_at`)
      .expect(200);
    expect(log.items).toMatchObject([
      {
        action: 'portal_session.created',
        target: { type: 'portal_session' },
        changes: {
          channel_ids: { from: null, to: [channelId] },
          permissions: { to: [...READ, 'api:delivery:replay'] },
        },
      },
      { action: 'portal_session.deleted', changes: { channel_ids: { from: [channelId], to: null } } },
    ]);
    expect(JSON.stringify(log)).not.toContain('svc_portal_');
  });

  it.each<[string, object, string]>([
    ['no channel', { channel_ids: [] }, 'channel_ids'],
    ['too many channels', { channel_ids: Array.from({ length: 101 }, () => randomUUID()) }, 'channel_ids'],
    ['more than an hour', { ttl_seconds: 3_601 }, 'ttl_seconds'],
    ['less than a minute', { ttl_seconds: 59 }, 'ttl_seconds'],
    ['another permission', { permissions: [...READ, 'api:address:read'] }, 'permissions[2]'],
    ['nothing that it could show', { permissions: ['api:delivery:replay'] }, 'permissions'],
    [
      'too many origins',
      { frame_origins: Array.from({ length: 11 }, (_, n) => `https://a${n}.example.com`) },
      'frame_origins',
    ],
    ...[
      'http://shop.example.com',
      'http://localhost.example.com',
      'http://127.0.0.1:1',
      'https://shop.example.com/',
      'https://shop.example.com/a',
      'https://*.example.com',
      'https://shop.example.com:443',
      'https://Shop.example.com',
      'https://a@shop.example.com',
      "https://shop.example.com;script-src'unsafe-inline'",
      'https://a,https://b',
      'https://shop.example.com https://evil.example.com',
      'https://[::1]',
      'https://',
      "'self'",
      '*',
      'https:',
      'null',
      `https://${'a'.repeat(250)}.example.com`,
    ].map((origin): [string, object, string] => [
      `the origin ${origin.slice(0, 60)}`,
      { frame_origins: ['https://ok.example.com', origin] },
      'frame_origins[1]',
    ]),
  ])('is 400 for %s, and names it', async (_name, body, name) => {
    const { body: problem } = await post(body).expect(400);
    expect(problem.fields).toMatchObject([{ name }]);
  });

  it.each([
    'https://shop.example.com',
    'https://xn--bcher-kva.example:8443',
    'http://localhost',
    'http://localhost:3000',
  ])('takes the origin %s', async (origin) => {
    expect((await post({ frame_origins: [origin, origin] }).expect(201)).body.frame_origins).toEqual([
      origin,
    ]);
  });

  it('grants nothing that its maker lacks, and is made only by who may change channels', async () => {
    const writer = world.clientOf(await makeKey([...READ, 'api:notification_channel:write']));
    await post({}, writer).expect(201);
    const { body } = await post({ permissions: [...READ, 'api:delivery:replay'] }, writer).expect(403);
    expect(body.detail).toContain('api:delivery:replay');
    await post({}, world.clientOf(await makeKey(READ))).expect(403);
  });

  it('finds no channel of another project: it is as unknown as one that there never was', async () => {
    const details = [];
    for (const id of [foreignId, randomUUID()]) {
      const { body } = await post({ channel_ids: [channelId, id] }).expect(404);
      details.push(body.detail.replace(id, '<id>'));
    }
    expect(details[0]).toBe(details[1]);
    const { body } = await post({ channel_ids: [channelId.toUpperCase(), channelId] }).expect(201);
    expect(body.channel_ids).toEqual([channelId]);
  });

  it('ends no later than the key and the session of the dashboard that made it', async () => {
    const key = await makeKey([...READ, 'api:notification_channel:write']);
    const endsAt = new Date(Date.now() + 120_000);
    await world.db.query('UPDATE api_keys SET expires_at = $1 WHERE key_hash = $2', [
      endsAt,
      Buffer.from(hashApiKey(key)),
    ]);
    expect((await post({}, world.clientOf(key)).expect(201)).body.expires_at).toBe(endsAt.toISOString());

    const session = { key: world.project.keys.management, until_ms: Date.now() + 90_000 };
    const cookie = world.deps.sealer.seal(JSON.stringify(session), 'dashboard_session');
    const { body } = await world
      .send('post', '/v1/portal_sessions')
      .set({ Cookie: `chainwatch_session=${cookie}`, 'Sec-Fetch-Site': 'same-origin' })
      .set('X-Project-Id', world.project.projectId)
      .send({ channel_ids: [channelId], ttl_seconds: 3_600 })
      .expect(201);
    expect(Date.parse(body.expires_at)).toBe(session.until_ms);
  });

  it('makes as many as the quota says, by two replicas at once, and room again as they expire', async () => {
    await world.db.query('DELETE FROM portal_sessions');
    const quotas = `/management/workspaces/${world.project.workspaceId}/quotas`;
    await world.management.put(quotas).send({ portal_sessions: 3 }).expect(200);
    const statuses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        post({}, n % 2 === 0 ? world.api : twin.api).then(({ status }) => status),
      ),
    );
    expect(statuses.sort()).toEqual([...Array<number>(3).fill(201), ...Array<number>(5).fill(422)]);
    expect((await post({}).expect(422)).body.detail).toContain('quota of portal_sessions');
    expect((await world.management.get(quotas).expect(200)).body).toMatchObject({
      ...{ portal_sessions: 3, used: { portal_sessions: 3 } },
    });
    await world.db.query('UPDATE portal_sessions SET expires_at = now()');
    await post({}).expect(201);
    expect((await world.api.get('/portal_sessions').expect(200)).body.meta.total).toBe(1);
    expect(await deleteExpired(world.db, 'portal_sessions')).toBe(3);
    expect((await world.api.get('/portal_sessions').expect(200)).body.meta.total).toBe(1);
    await world.management.put(quotas).send({}).expect(200);
  });

  it('is answered alike when it is sent again, and to nobody else', async () => {
    const send = (client = world.api) => post({}, client).set('Idempotency-Key', 'again');
    const [first, second] = [await send().expect(201), await send().expect(201)];
    expect(second.body).toEqual(first.body);
    expect(second.headers['idempotency-replayed']).toBe('true');
    const { token } = await openPortal(world, [channelId]);
    await world
      .send('post', `/v1/channels/${channelId}/actions/test`)
      .set({ Authorization: `Bearer ${token}`, 'Idempotency-Key': 'again' })
      .expect(202);
  });
});
