// SPDX-License-Identifier: Apache-2.0
import { createSealer } from '@chainwatch/platform/secrets';
import type { Test } from 'supertest';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };
const UNKNOWN = '6f1d1f4e-0000-4000-8000-00000000dead';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld({ app: { corsOrigins: ['https://shop.example.com'] } });
});
afterAll(() => world.stop());

async function signIn(key: string): Promise<string> {
  const { headers } = await world.send('post', '/v1/session', key).expect(201);
  return headers['set-cookie']![0]!.split(';', 1)[0]!;
}

type Headers = Readonly<Record<string, string>>;
type Method = Parameters<SpecWorld['send']>[0];

const ask = (cookie: string, path: string, headers: Headers = OWN_PAGE, method: Method = 'get'): Test =>
  world.send(method, `/v1${path}`).set({ Cookie: cookie, ...headers });

async function makeKey(body: object): Promise<{ id: string; key: string }> {
  return (await world.management.post('/management/keys').send(body).expect(201)).body;
}

describe('signing in', () => {
  it('sets a cookie that no script reads and no other site sends, for twelve hours, without the key in it', async () => {
    const { headers, body } = await world.send('post', '/v1/session', world.project.keys.api).expect(201);
    const [cookie] = headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(
      /^chainwatch_session=v1\.spec\.[\w.-]+; Max-Age=43200; Path=\/v1; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
    );
    const sealed = cookie!.split('=')[1]!.split(';')[0]!;
    for (const text of [
      sealed,
      ...sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString()),
    ])
      expect(text).not.toContain(world.project.keys.api.slice(-20));
    expect(body).toMatchObject({
      key: { type: 'api' },
      workspace: { id: world.project.workspaceId },
      projects: [{ id: world.project.projectId }],
      project_permissions: body.key.permissions,
    });
    expect(JSON.stringify(body)).not.toContain(world.project.keys.api);
  });

  it('is Secure where the request came over TLS, and nothing that a neighboring host could set', async () => {
    const behindProxy = await startSpecWorld({ sharing: world, app: { trustedProxies: 1 } });
    const tls = { 'X-Forwarded-Proto': 'https' };
    const { headers } = await behindProxy
      .send('post', '/v1/session', world.project.keys.api)
      .set(tls)
      .expect(201);
    const [cookie] = headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(
      /^__Host-chainwatch_session=[^;]+; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
    );
    const read = (sent: string) =>
      behindProxy.send('get', '/v1/session').set({ ...OWN_PAGE, ...tls, Cookie: sent });
    const mine = cookie!.split(';', 1)[0]!;
    // Of a neighbor who wants our page to act for him.
    const planted = `chainwatch_session=${mine.split('=')[1]}`;
    await read(planted).expect(401);
    await read(`${planted}x; ${mine}`).expect(200);
    await behindProxy.stop();
  });

  it('needs a key: a session makes no other one, an rpc key none at all', async () => {
    const cookie = await signIn(world.project.keys.api);
    await ask(cookie, '/session', OWN_PAGE, 'post').expect(400);
    await world.send('post', '/v1/session', world.project.keys.rpc).expect(422);
    await world.send('post', '/v1/session', `${world.project.keys.api.slice(0, -1)}!`).expect(401);
    await world.send('post', '/v1/session').expect(401);
  });

  it('ends with signing out', async () => {
    const cookie = await signIn(world.project.keys.api);
    const { headers } = await ask(cookie, '/session', OWN_PAGE, 'delete').expect(204);
    expect(headers['set-cookie']![0]).toMatch(/^chainwatch_session=; Max-Age=0; Path=\/v1; .*HttpOnly/);
  });
});

describe('the cookie', () => {
  it.each<[string, () => Headers, number]>([
    ['a page of this origin', () => OWN_PAGE, 200],
    [
      'its own Origin, where the browser says no site',
      () => ({ Host: 'a.test:1', Origin: 'http://a.test:1' }),
      200,
    ],
    ['no word about the page', () => ({}), 401],
    ['a page of another site', () => ({ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' }), 401],
    ['a page of a neighbor', () => ({ 'Sec-Fetch-Site': 'same-site' }), 401],
    ['a link that was followed', () => ({ 'Sec-Fetch-Site': 'none' }), 401],
    [
      'a foreign site that claims our Origin',
      () => ({ 'Sec-Fetch-Site': 'cross-site', Host: 'a.test', Origin: 'http://a.test' }),
      401,
    ],
    ['another Origin', () => ({ Host: 'a.test', Origin: 'http://b.test' }), 401],
    ['another port', () => ({ Host: 'a.test:1', Origin: 'http://a.test:2' }), 401],
    ['an opaque Origin', () => ({ Origin: 'null' }), 401],
    ['an origin that may call with a key', () => ({ Origin: 'https://shop.example.com' }), 401],
  ])('with %s: it counts or it does not', async (_name, headers, status) => {
    const cookie = await signIn(world.project.keys.api);
    await ask(cookie, '/addresses', headers()).expect(status);
    const made = await ask(cookie, '/channels', headers(), 'post').send({
      name: 'x',
      url: 'https://1.1.1.1/',
    });
    expect(made.status).toBe(status === 200 ? 201 : 401);
  });

  it('is never allowed to pages of other origins', async () => {
    const cookie = await signIn(world.project.keys.api);
    const shop = { Origin: 'https://shop.example.com', 'Sec-Fetch-Site': 'cross-site' };
    for (const { headers } of [
      await ask(cookie, '/addresses', shop),
      await ask(cookie, '/addresses', { ...shop, 'Access-Control-Request-Method': 'POST' }, 'options'),
    ]) {
      expect(headers['access-control-allow-origin']).toBe('https://shop.example.com');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['access-control-allow-headers'] ?? '').not.toMatch(/project/i);
    }
  });

  it('that was changed anywhere, made elsewhere, or sealed for something else is refused', async () => {
    const cookie = await signIn(world.project.keys.api);
    const value = cookie.split('=')[1]!;
    const step = Math.ceil(value.length / 24);
    for (let at = 0; at < value.length; at += step) {
      const other = value[at] === 'A' ? 'B' : 'A';
      await ask(`chainwatch_session=${value.slice(0, at)}${other}${value.slice(at + 1)}`, '/version').expect(
        401,
      );
    }
    const session = JSON.stringify({ key: world.project.keys.api, until_ms: Date.now() + 60_000 });
    const stranger = createSealer({
      keys: { spec: Buffer.alloc(32, 1).toString('base64') },
      activeKeyId: 'spec',
    });
    for (const sealed of [
      '',
      'x',
      stranger.seal(session, 'dashboard_session'),
      world.deps.sealer.seal(session, 'webhook_secret:1'),
    ])
      await ask(`chainwatch_session=${sealed}`, '/version').expect(401);
    await ask(cookie, '/version').expect(200);
  });

  it('has an end that the browser cannot move', async () => {
    const seal = (until_ms: number) =>
      world.deps.sealer.seal(JSON.stringify({ key: world.project.keys.api, until_ms }), 'dashboard_session');
    await ask(`chainwatch_session=${seal(Date.now() + 60_000)}`, '/version').expect(200);
    await ask(`chainwatch_session=${seal(Date.now() - 1)}`, '/version').expect(401);
  });

  it('counts for nothing beside a key', async () => {
    const cookie = await signIn(world.project.keys.api);
    const { body } = await ask(cookie, '/session', { ...OWN_PAGE, 'X-Api-Key': world.otherProject.keys.api });
    expect(body.workspace.id).toBe(world.otherProject.workspaceId);
  });

  it('guesses at it are counted against the client', async () => {
    const before = world.limits.failedPerClient;
    world.limits.failedPerClient = 2;
    const statuses = [];
    for (let i = 0; i < 3; i += 1) statuses.push((await ask('chainwatch_session=v1.x', '/version')).status);
    world.limits.failedPerClient = before;
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('the end of a key', () => {
  it('ends its session at once, without any message on the bus', async () => {
    const { id, key } = await makeKey({
      type: 'api',
      name: 'short',
      project_id: world.project.projectId,
      permissions: ['api:address:read'],
    });
    const cookie = await signIn(key);
    await ask(cookie, '/addresses').expect(200);
    // As another replica does it: past this one's cache.
    await world.db.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
    await ask(cookie, '/addresses').expect(401);
    await world.db.query(
      `UPDATE api_keys SET revoked_at = NULL, expires_at = now() + '1 hour' WHERE id = $1`,
      [id],
    );
    await ask(cookie, '/addresses').expect(200);
    await world.db.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await ask(cookie, '/addresses').expect(401);
  });

  it('and what it may no longer do', async () => {
    const { id, key } = await makeKey({
      type: 'mgt',
      name: 'demoted',
      permissions: ['mgt:key:write', 'mgt:project:read'],
    });
    const cookie = await signIn(key);
    const acting = { ...OWN_PAGE, 'X-Project-Id': world.project.projectId };
    await ask(cookie, '/addresses', acting).expect(200);
    await world.db.query(`UPDATE api_keys SET permissions = '{mgt:project:read}' WHERE id = $1`, [id]);
    await ask(cookie, '/addresses', acting).expect(400);
    await ask(cookie, '/management/projects').expect(200);
    await world.db.query('UPDATE api_keys SET permissions = $2 WHERE id = $1', [id, []]);
    await ask(cookie, '/management/projects').expect(403);
  });
});

describe('X-Project-Id', () => {
  it('lets a management key that could make its keys act on a project of its workspace', async () => {
    const cookie = await signIn(world.project.keys.management);
    const acting = { ...OWN_PAGE, 'X-Project-Id': world.project.projectId };
    const { body } = await ask(cookie, '/channels', acting, 'post')
      .send({ name: 'mine', url: 'https://1.1.1.1/' })
      .expect(201);
    await world.api.get(`/channels/${body.id}`).expect(200);
    // Only where it says so: without the header it is a management key.
    await ask(cookie, '/channels').expect(403);
    await ask(cookie, '/management/workspace', acting).expect(403);
    await ask(cookie, '/management/workspace').expect(200);
    const { body: session } = await ask(cookie, '/session').expect(200);
    expect(session.projects).toContainEqual({ id: world.project.projectId, name: expect.any(String) });
    expect(session.project_permissions).toContain('api:notification_channel:write');
    await world.api.delete(`/channels/${body.id}`).expect(204);
  });

  it('gives what the workspace could not grant to nobody', async () => {
    for (const { keys, projectId } of [world.project, world.otherProject]) {
      const cookie = await signIn(keys.management);
      const { body } = await ask(cookie, '/session').expect(200);
      const { status } = await ask(
        cookie,
        '/blockchains',
        { ...OWN_PAGE, 'X-Project-Id': projectId },
        'post',
      ).send({
        chain_gid: 'eip155:1',
      });
      expect([body.workspace.is_operator, status]).toContainEqual(body.workspace.is_operator ? 201 : 403);
    }
  });

  it.each(['api', 'management'] as const)(
    "with an %s key: another tenant's project is as unknown as one that does not exist",
    async (type) => {
      const cookie = await signIn(world.project.keys[type]);
      const answers = [];
      for (const id of [world.otherProject.projectId, UNKNOWN, 'x', '']) {
        const { status, body } = await ask(cookie, '/addresses', { ...OWN_PAGE, 'X-Project-Id': id });
        answers.push([status, body.fields]);
      }
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toEqual([
        400,
        [{ name: 'X-Project-Id', reason: 'expected the id of a project that this session may act on' }],
      ]);
    },
  );

  it('opens nothing to a management key that may make no keys', async () => {
    const { key } = await makeKey({ type: 'mgt', name: 'reader', permissions: ['mgt:project:read'] });
    const cookie = await signIn(key);
    await ask(cookie, '/addresses', { ...OWN_PAGE, 'X-Project-Id': world.project.projectId }).expect(400);
    const { body } = await ask(cookie, '/session').expect(200);
    expect([body.projects, body.project_permissions]).toEqual([[], []]);
  });

  it('says nothing for a request with a key', async () => {
    const { body } = await world
      .send('get', '/v1/session', world.project.keys.api)
      .set('X-Project-Id', world.otherProject.projectId)
      .expect(200);
    expect(body.projects).toEqual([{ id: world.project.projectId, name: expect.any(String) }]);
  });

  it('keeps the answers of a repeated request apart, project by project', async () => {
    const { body: second } = await world.management
      .post('/management/projects')
      .send({ name: 'second' })
      .expect(201);
    const cookie = await signIn(world.project.keys.management);
    const make = (projectId: string) =>
      ask(
        cookie,
        '/channels',
        { ...OWN_PAGE, 'X-Project-Id': projectId, 'Idempotency-Key': 'same' },
        'post',
      ).send({
        name: 'same',
        url: 'https://1.1.1.1/',
      });
    const [one, again, other] = [
      await make(world.project.projectId),
      await make(world.project.projectId),
      await make(second.id),
    ];
    expect([one.status, again.body.id === one.body.id, other.body.id === one.body.id]).toEqual([
      201,
      true,
      false,
    ]);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });
});

it('writes what a session changes into the audit log, by its key', async () => {
  const cookie = await signIn(world.project.keys.management);
  const acting = { ...OWN_PAGE, 'X-Project-Id': world.project.projectId };
  const { body } = await ask(cookie, '/channels', acting, 'post').send({
    name: 'gone',
    url: 'https://1.1.1.1/',
  });
  await ask(cookie, `/channels/${body.id}`, acting, 'delete').expect(204);
  const { body: session } = await ask(cookie, '/session').expect(200);
  const { body: log } = await world.management
    .get(`/management/audit_logs?target_ids=${body.id}`)
    .expect(200);
  expect(log.items).toMatchObject([{ action: 'channel.deleted', actor: { key_id: session.key.id } }]);
});
