// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { permissionsOf, type Permission } from '@chainwatch/common/api-key';
import type { Principal } from '@chainwatch/data/key-store';
import { openEventStream, waitFor, type EventStreamClient } from '@chainwatch/testing';
import type { Test } from 'supertest';
import { recordChange } from '../management/record-change.ts';
import { routeTable } from '../route-table.ts';
import { deleteExpired } from '../server/sweep-expired.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { keyTypeOf } from './key-type-of.ts';
import { permissionsOfRole } from './role-permissions.ts';
import { makePersonCookie, makeSessionCookie } from './session-cookie.ts';

const UNKNOWN = '6f1d1f4e-0000-4000-8000-00000000dead';
const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;
type Role = (typeof ROLES)[number];
type Method = Parameters<SpecWorld['send']>[0];
type Headers = Readonly<Record<string, string>>;

let world: SpecWorld;
const streams: EventStreamClient[] = [];
beforeAll(async () => {
  world = await startSpecWorld();
  // So that nobody here is the last one.
  await addMember('owner', 'first@example.com');
}, 60_000);
afterAll(async () => {
  for (const stream of streams) stream.close();
  await world.stop();
});

async function addMember(role: Role, email = `${randomUUID()}@example.com`, by = world.management) {
  const { body } = await by.post('/management/members').send({ email, role }).expect(201);
  return { id: body.id as string, email, cookie: cookieOf(email) };
}

const cookieOf = (email: string): string => {
  const { name, value } = makePersonCookie(world.deps.sealer, { email, issuer: undefined });
  return `${name}=${value}`;
};

const ask = (cookie: string, path: string, headers: Headers = {}, method: Method = 'get'): Test =>
  world.send(method, `/v1${path}`).set({ 'Sec-Fetch-Site': 'same-origin', Cookie: cookie, ...headers });

const onProject = (id = world.project.projectId): Headers => ({ 'X-Project-Id': id });

describe.each(ROLES)('a session of a member that is %s', (role) => {
  let cookie: string;
  const mayDo = (permission: Permission): boolean =>
    (['api', 'mgt'] as const).some((type) =>
      permissionsOfRole(role, type, { isOperator: true }).includes(permission),
    );
  beforeAll(async () => {
    ({ cookie } = await addMember(role));
  });

  it.each(
    routeTable
      .filter(({ method, path }) => `${method} ${path}` !== 'DELETE /session')
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s asks what the role may do', async (_name, { method, path, permission, mediaType }) => {
    if (permission === 'any') return;
    const isOfProject = keyTypeOf(permission) === 'api';
    const { status, body } = await ask(
      cookie,
      path.replace(/:\w+/g, 'x'),
      isOfProject ? onProject() : {},
      // Without waiting for the end of a stream, which has none.
      mediaType === 'text/event-stream' ? 'head' : (method.toLowerCase() as Method),
    );
    if (mayDo(permission)) expect(status).not.toBe(403);
    else
      expect([status, mediaType === undefined && body.detail]).toEqual([
        403,
        `The role ${role} does not have the permission ${permission}.`,
      ]);
    expect(status).not.toBe(401);
  });

  it('is described with what it may, here and on its projects, and offers no more', async () => {
    const { body } = await ask(cookie, '/session').expect(200);
    expect([body.key, body.member.role]).toEqual([null, role]);
    expect(body.permissions).toEqual(permissionsOf('mgt').filter(mayDo));
    expect(body.project_permissions).toEqual(permissionsOf('api').filter(mayDo));
    // Acting on a project it is the same one.
    expect((await ask(cookie, '/session', onProject()).expect(200)).body).toEqual(body);
  });

  it('opens neither interface to the other: what is of projects needs X-Project-Id, what is not needs none', async () => {
    await ask(cookie, '/addresses').expect(403);
    await ask(cookie, '/management/workspace', onProject()).expect(403);
    await ask(cookie, '/addresses', onProject()).expect(200);
    await ask(cookie, '/management/workspace').expect(200);
  });
});

describe('a role', () => {
  it('counts from the next request on, narrower and wider', async () => {
    const { id, cookie } = await addMember('viewer');
    const make = () => ask(cookie, '/management/projects', {}, 'post').send({ name: 'made' });
    await make().expect(403);
    await world.management.patch(`/management/members/${id}`).send({ role: 'admin' }).expect(200);
    await make().expect(201);
    // As another replica does it.
    await world.db.query(`UPDATE members SET role = 'viewer' WHERE id = $1`, [id]);
    await make().expect(403);
  });

  it('of another workspace counts for nothing in this one, nor for what is the operator’s', async () => {
    const { cookie } = await addMember('owner', undefined, world.otherManagement);
    const { body } = await ask(cookie, '/session').expect(200);
    expect(body.workspace).toMatchObject({ id: world.otherProject.workspaceId, is_operator: false });
    expect(body.permissions).not.toContain('mgt:quota:write');
    expect(body.project_permissions).not.toContain('api:blockchain:write');
    await ask(cookie, '/blockchains', onProject(world.otherProject.projectId), 'post')
      .send({ chain_gid: 'eip155:1' })
      .expect(403);
    const answers = [];
    for (const id of [world.project.projectId, UNKNOWN, 'x', ''])
      answers.push((await ask(cookie, '/addresses', onProject(id)).expect(400)).body.fields);
    for (const id of [world.project.workspaceId, UNKNOWN, 'x', ''])
      answers.push((await ask(cookie, '/session', { 'X-Workspace-Id': id }).expect(400)).body.fields);
    expect(new Set(answers.map((fields) => JSON.stringify(fields)))).toEqual(
      new Set(
        [
          ['X-Project-Id', 'project'],
          ['X-Workspace-Id', 'workspace'],
        ].map(([name, noun]) =>
          JSON.stringify([{ name, reason: `expected the id of a ${noun} that this session may act on` }]),
        ),
      ),
    );
  });

  it('makes keys that hold no more than it does, which its end does not end', async () => {
    const { id, cookie } = await addMember('admin');
    const grant = (type: 'api' | 'mgt', permissions: readonly string[]) =>
      ask(cookie, '/management/keys', {}, 'post').send({
        type,
        name: 'made',
        permissions,
        ...(type === 'api' && { project_id: world.project.projectId }),
      });
    const { body: made } = await grant('mgt', ['mgt:key:read']).expect(201);
    const { body: api } = await grant('api', ['api:address:read']).expect(201);
    await grant('api', ['api:address:read']).send({ project_id: world.otherProject.projectId }).expect(404);
    await world.management.delete(`/management/members/${id}`).expect(204);
    await grant('api', ['api:address:read']).expect(401);
    await world.send('get', '/v1/management/keys', made.key).expect(200);
    await world.send('get', '/v1/addresses', api.key).expect(200);
    const developer = await addMember('developer');
    await ask(developer.cookie, '/management/keys', {}, 'post').send({}).expect(403);
    await ask(developer.cookie, `/management/keys/${made.id}/actions/roll`, {}, 'post').send({}).expect(403);
    await ask(developer.cookie, `/management/keys/${made.id}`, {}, 'delete').expect(403);
  });
});

describe('a person of several workspaces', () => {
  let email: string;
  let cookie: string;
  beforeAll(async () => {
    ({ email, cookie } = await addMember('developer'));
    await addMember('owner', email, world.otherManagement);
  });
  const inOther = (): Headers => ({ 'X-Workspace-Id': world.otherProject.workspaceId.toUpperCase() });

  it('acts in that one which it names, with the role there', async () => {
    const { body: first } = await ask(cookie, '/session').expect(200);
    expect([first.workspace.id, first.member.role]).toEqual([world.project.workspaceId, 'developer']);
    const { body: other } = await ask(cookie, '/session', inOther()).expect(200);
    expect([other.workspace.id, other.member.role]).toEqual([world.otherProject.workspaceId, 'owner']);
    expect(other.workspaces).toEqual(first.workspaces);
    expect(first.workspaces).toHaveLength(2);
    await ask(cookie, '/management/keys', {}, 'post').send({}).expect(403);
    await ask(cookie, '/management/keys', inOther(), 'post').send({}).expect(400);
  });

  it('reaches the projects of one only in it', async () => {
    const other = onProject(world.otherProject.projectId);
    await ask(cookie, '/addresses', other).expect(400);
    await ask(cookie, '/addresses', { ...inOther(), ...other }).expect(200);
    await ask(cookie, '/addresses', { ...inOther(), ...onProject() }).expect(400);
  });

  it('stays a member of the one when the other lets it go', async () => {
    const { body } = await ask(cookie, '/session', inOther()).expect(200);
    await world.otherManagement.delete(`/management/members/${body.member.id}`).expect(204);
    await ask(cookie, '/session', inOther()).expect(400);
    const { body: left } = await ask(cookie, '/session').expect(200);
    expect(left.workspaces).toEqual([{ id: world.project.workspaceId, name: expect.any(String) }]);
  });

  it('is not drawn into one that adds it later', async () => {
    const person = await addMember('viewer', undefined, world.otherManagement);
    await addMember('owner', person.email);
    const { body } = await ask(person.cookie, '/session').expect(200);
    expect(body.workspace.id).toBe(world.otherProject.workspaceId);
  });
});

describe('a session ends', () => {
  it('with its member', async () => {
    const { id, cookie } = await addMember('owner');
    await ask(cookie, '/session').expect(200);
    await world.management.delete(`/management/members/${id}`).expect(204);
    await ask(cookie, '/session').expect(401);
  });

  it('when the member is somebody else from then on, who signs in anew', async () => {
    const { id, cookie } = await addMember('owner');
    const email = `${randomUUID()}@example.com`;
    await world.management.patch(`/management/members/${id}`).send({ email }).expect(200);
    await ask(cookie, '/session').expect(401);
    await ask(cookieOf(email), '/session').expect(200);
  });

  it.each<[string, () => Promise<string>]>([
    ['a member', async () => (await addMember('viewer')).cookie],
    ['an api key', async () => keyCookie(world.project.keys.api)],
    ['a management key', async () => keyCookie(world.project.keys.management)],
  ])('everywhere when %s signs out, and no other session does', async (_name, open) => {
    const cookie = await open();
    await ask(cookie, '/session').expect(200);
    await ask(cookie, '/session', {}, 'delete').expect(204);
    // The browser forgot it; a copy is good for nothing.
    await ask(cookie, '/session').expect(401);
    await ask(cookie, '/session', {}, 'delete').expect(401);
    await ask(await open(), '/session').expect(200);
    await world.send('get', '/v1/session', world.project.keys.api).expect(200);
  });

  it('of a release that did not end them: it goes on until its time', async () => {
    const session = { key: world.project.keys.api, until_ms: Date.now() + 60_000 };
    const cookie = `chainwatch_session=${world.deps.sealer.seal(JSON.stringify(session), 'dashboard_session')}`;
    await ask(cookie, '/session', {}, 'delete').expect(204);
    await ask(cookie, '/session').expect(200);
  });

  it('and is remembered for no longer than it could have lasted', async () => {
    await world.db.query('DELETE FROM ended_sessions');
    await ask(keyCookie(world.project.keys.api), '/session', {}, 'delete').expect(204);
    await world.db.query(`INSERT INTO ended_sessions (id, expires_at) VALUES (gen_random_uuid(), now())`);
    await deleteExpired(world.db, 'ended_sessions');
    const { rows } = await world.db.query(
      `SELECT round(extract(epoch FROM expires_at - now()) / 60) AS minutes FROM ended_sessions`,
    );
    expect(rows.map(({ minutes }) => Number(minutes))).toEqual([720]);
  });

  it.each<[string, (member: { id: string; cookie: string }) => PromiseLike<unknown>]>([
    [
      'the role changes',
      ({ id }) => world.db.query(`UPDATE members SET role = 'viewer' WHERE id = $1`, [id]),
    ],
    ['the member is removed', ({ id }) => world.management.delete(`/management/members/${id}`).expect(204)],
    [
      'the address is another',
      ({ id }) => world.db.query(`UPDATE members SET email = $2 WHERE id = $1`, [id, randomUUID()]),
    ],
    ['the person signs out', ({ cookie }) => ask(cookie, '/session', {}, 'delete').expect(204)],
  ])('with its open streams when %s', async (_name, end) => {
    const member = await addMember('developer');
    const [stream, mine] = [
      await openStream({ cookie: member.cookie, ...onProject() }),
      await openStream({ cookie: keyCookie(world.project.keys.management), ...onProject() }),
    ];
    expect([stream.status, mine.status]).toEqual([200, 200]);
    await end(member);
    await waitFor(() => stream.isOver);
    expect(mine.isOver).toBe(false);
  });

  it('with its open streams when the project is deleted', async () => {
    const { cookie } = await addMember('viewer');
    const { body } = await world.management.post('/management/projects').send({ name: 'short' }).expect(201);
    const stream = await openStream({ cookie, ...onProject(body.id) });
    expect(stream.status).toBe(200);
    await world.management.delete(`/management/projects/${body.id}`).expect(204);
    await waitFor(() => stream.isOver);
    await ask(cookie, '/addresses', onProject(body.id)).expect(400);
  });
});

describe('what a member does', () => {
  it('stands in the audit log under the address, and is found by it', async () => {
    const { id, email, cookie } = await addMember('admin');
    const { body: project } = await ask(cookie, '/management/projects', {}, 'post')
      .send({ name: 'A' })
      .expect(201);
    const made = { name: 'gone', url: 'https://1.1.1.1/' };
    const { body: channel } = await ask(cookie, '/channels', onProject(), 'post').send(made).expect(201);
    await ask(cookie, `/channels/${channel.id}`, onProject(), 'delete').expect(204);
    const actor = { key_id: null, member_id: id, name: email, mask: null };
    for (const query of [`search=${encodeURIComponent(email)}`, `actor_key_ids=${id}`]) {
      const { body } = await world.management
        .get(`/management/audit_logs?sort_by=created_at&${query}`)
        .expect(200);
      expect(body.items).toMatchObject([
        { action: 'project.created', target: { id: project.id }, actor },
        { action: 'channel.deleted', target: { id: channel.id }, actor },
      ]);
    }
    // As it is in the log of keys.
    const { body: log } = await world.management
      .get('/management/audit_logs?actions=member.created')
      .expect(200);
    expect(log.items[0].actor).toMatchObject({
      key_id: expect.any(String),
      member_id: null,
      mask: expect.any(String),
    });
  });

  it('is not done as what the member was when it asked', async () => {
    const { id, email } = await addMember('owner');
    const { workspaceId } = world.project;
    const principal: Principal = {
      keyId: id,
      keyType: 'mgt',
      workspaceId,
      projectId: '',
      isOperator: true,
      permissions: ['mgt:workspace:write'],
      member: { email, role: 'owner' },
    };
    const record = (by = principal) =>
      recordChange(
        world.db,
        { principal: by, requestId: 'spec' },
        { action: 'workspace.updated', targetId: workspaceId },
      );
    await record();
    const refused = { status: 401 };
    await expect(record({ ...principal, workspaceId: world.otherProject.workspaceId })).rejects.toMatchObject(
      refused,
    );
    for (const [column, changed, was] of [
      ['role', 'viewer', 'owner'],
      ['email', `${randomUUID()}@example.com`, email],
    ]) {
      await world.db.query(`UPDATE members SET ${column} = $2 WHERE id = $1`, [id, changed]);
      await expect(record()).rejects.toMatchObject(refused);
      await world.db.query(`UPDATE members SET ${column} = $2 WHERE id = $1`, [id, was]);
    }
    await record();
    await world.management.delete(`/management/members/${id}`).expect(204);
    await expect(record()).rejects.toMatchObject(refused);
  });

  it('is done once under an Idempotency-Key, and shown again to the same session alone', async () => {
    const { email, cookie } = await addMember('admin');
    const make = (by: string) =>
      ask(by, '/management/keys', { 'Idempotency-Key': 'same' }, 'post').send({
        type: 'rpc',
        name: 'once',
        permissions: ['rpc:evm:read'],
      });
    const [one, again, other] = [await make(cookie), await make(cookie), await make(cookieOf(email))];
    expect([one.status, again.body.key, again.headers['idempotency-replayed']]).toEqual([
      201,
      one.body.key,
      'true',
    ]);
    expect([other.status, other.body.key === one.body.key]).toEqual([201, false]);
  });

  it('counts against one limit, in all sessions of the member', async () => {
    const { email, cookie } = await addMember('viewer');
    Object.assign(world.limits.perKey, { mgt: 2 });
    const statuses = [];
    for (const by of [cookie, cookieOf(email), cookieOf(email)])
      statuses.push((await ask(by, '/session')).status);
    Object.assign(world.limits.perKey, { mgt: 1_000_000 });
    expect(statuses).toEqual([200, 200, 429]);
  });
});

function keyCookie(key: string): string {
  const { name, value } = makeSessionCookie(world.deps.sealer, key);
  return `${name}=${value}`;
}

async function openStream(headers: Headers): Promise<EventStreamClient> {
  const { port } = world.server.address() as AddressInfo;
  const stream = await openEventStream(`http://127.0.0.1:${port}/v1/events/stream`, {
    'sec-fetch-site': 'same-origin',
    ...headers,
  });
  streams.push(stream);
  return stream;
}
