// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { permissionsOf } from '@chainwatch/common/api-key';
import { openPortal, type SpecPortal } from '../spec-support/portal.ts';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

describe('the end of a portal session is at once, on every replica, without a message', () => {
  const all = permissionsOf('api').filter((permission) => permission !== 'api:blockchain:write');
  let world: SpecWorld;
  let twin: SpecWorld;
  let channelId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    twin = await startSpecWorld({ sharing: world });
    channelId = (await world.api.post('/channels').send({ name: 'a', url: 'https://1.1.1.1/' }).expect(201))
      .body.id;
  });
  afterAll(async () => {
    expect([...world.failures, ...twin.failures]).toEqual([]);
    await twin.stop();
    await world.stop();
  });

  const makeKey = async (body: object = {}): Promise<{ id: string; key: string }> =>
    (
      await world.management
        .post('/management/keys')
        .send({ type: 'api', name: 'k', project_id: world.project.projectId, permissions: all, ...body })
        .expect(201)
    ).body;
  const update = (set: string, id: string) =>
    world.db.query(`UPDATE api_keys SET ${set} WHERE id = $1`, [id]);

  it.each<[string, (key: string, session: SpecPortal) => Promise<unknown>]>([
    [
      'it expires',
      (_key, { id }) => world.db.query('UPDATE portal_sessions SET expires_at = now() WHERE id = $1', [id]),
    ],
    ['it is deleted', (_key, { id }) => world.api.delete(`/portal_sessions/${id}`).expect(204)],
    ['its key is revoked', (key) => world.management.delete(`/management/keys/${key}`).expect(204)],
    ['its key is revoked elsewhere', (key) => update('revoked_at = now()', key)],
    [
      'its key is rolled',
      (key) =>
        world.management.post(`/management/keys/${key}/actions/roll`).send({ grace_seconds: 0 }).expect(200),
    ],
    ['its key expires', (key) => update('expires_at = now()', key)],
    [
      'its key may no longer replay',
      (key) => update(`permissions = array_remove(permissions, 'api:delivery:replay')`, key),
    ],
    [
      'its key may no longer make it',
      (key) => update(`permissions = array_remove(permissions, 'api:notification_channel:write')`, key),
    ],
    ['its key is deleted', (key) => world.db.query('DELETE FROM api_keys WHERE id = $1', [key])],
  ])('when %s', async (_name, end) => {
    const { id, key } = await makeKey();
    const session = await openPortal(world, [channelId], { key });
    const asTwin = () => twin.send('get', '/v1/channels').set('Authorization', `Bearer ${session.token}`);
    await session.ask('get', '/channels').expect(200);
    await asTwin().expect(200);
    await end(id, session);
    await asTwin().expect(401);
    const { body } = await session.ask('get', '/channels').expect(401);
    expect(body.detail).toBe('The portal session has ended: a new one is needed.');
    await world.api.get(`/portal_sessions/${session.id}`).expect(404);
  });

  it('when a management key that made it on a project may make no keys any more', async () => {
    const { body } = await world.management
      .post('/management/keys')
      .send({ type: 'mgt', name: 'm', permissions: ['mgt:key:write'] })
      .expect(201);
    const { headers } = await world.send('post', '/v1/session', body.key).expect(201);
    const made = await world
      .send('post', '/v1/portal_sessions')
      .set({ Cookie: headers['set-cookie']![0]!.split(';', 1)[0]!, 'Sec-Fetch-Site': 'same-origin' })
      .set('X-Project-Id', world.project.projectId)
      .send({ channel_ids: [channelId], ttl_seconds: 600 })
      .expect(201);
    const ask = () =>
      world.send('get', '/v1/channels').set('Authorization', `Bearer ${String(made.body.url).split('#')[1]}`);
    await ask().expect(200);
    await update(`permissions = '{mgt:project:read}'`, body.id);
    await ask().expect(401);
  });

  it.each<[string, (id: string) => PromiseLike<unknown>]>([
    ['leaves', (id) => world.management.delete(`/management/members/${id}`).expect(204)],
    [
      'has another role',
      (id) => world.management.patch(`/management/members/${id}`).send({ role: 'viewer' }),
    ],
    [
      'has another address',
      (id) =>
        world.management.patch(`/management/members/${id}`).send({ email: `${randomUUID()}@example.com` }),
    ],
  ])('when the member who made it %s', async (_name, end) => {
    const email = `${randomUUID()}@example.com`;
    const { body: member } = await world.management
      .post('/management/members')
      .send({ email, role: 'admin' })
      .expect(201);
    const session = await openPortal(world, [channelId]);
    await world.db.query(
      'UPDATE portal_sessions SET creator_id = $2, creator_email = $3, creator_role = $4 WHERE id = $1',
      [session.id, member.id, email, 'admin'],
    );
    await session.ask('get', '/channels').expect(200);
    await end(member.id);
    await session.ask('get', '/channels').expect(401);
  });

  it('when its project is deleted', async () => {
    const { body: project } = await world.management
      .post('/management/projects')
      .send({ name: 'p' })
      .expect(201);
    const { key } = await makeKey({ project_id: project.id });
    const { body: channel } = await world
      .send('post', '/v1/channels', key)
      .send({ name: 'c', url: 'https://1.1.1.1/' })
      .expect(201);
    const session = await openPortal(world, [channel.id], { key });
    await session.ask('get', '/channels').expect(200);
    await world.management.delete(`/management/projects/${project.id}?cascade=true`).expect(204);
    await session.ask('get', '/channels').expect(401);
    const { rowCount } = await world.db.query('SELECT FROM portal_sessions WHERE id = $1', [session.id]);
    expect(rowCount).toBe(0);
  });
});
