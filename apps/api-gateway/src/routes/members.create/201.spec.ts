// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('/management/members', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  const add = async (email: string, role: string): Promise<string> =>
    (await world.management.post('/management/members').send({ email, role }).expect(201)).body.id;

  it('adds a member, whatever the case of the address, once', async () => {
    const { body } = await world.management
      .post('/management/members')
      .send({ email: ' Ann@Example.com ', role: 'owner' })
      .expect(201);
    expect(body).toEqual({
      id: expect.any(String),
      email: 'ann@example.com',
      role: 'owner',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const answers = await Promise.all(
      ['ann@example.com', 'ANN@example.com'].map((email) =>
        world.management.post('/management/members').send({ email, role: 'viewer' }),
      ),
    );
    expect(answers.map(({ status, body: problem }) => [status, problem.title])).toEqual([
      [409, 'Conflict'],
      [409, 'Conflict'],
    ]);
    const bobs = await Promise.all(
      [1, 2, 3, 4].map(() =>
        world.management.post('/management/members').send({ email: 'bob@example.com', role: 'viewer' }),
      ),
    );
    expect(bobs.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it('changes the role and the address, and writes down both sides', async () => {
    const id = await add('carl@example.com', 'developer');
    expect(
      (await world.management.patch(`/management/members/${id}`).send({ role: 'admin' }).expect(200)).body,
    ).toMatchObject({ id, email: 'carl@example.com', role: 'admin' });
    expect(
      (
        await world.management
          .patch(`/management/members/${id}`)
          .send({ email: 'Carla@example.com' })
          .expect(200)
      ).body,
    ).toMatchObject({ email: 'carla@example.com', role: 'admin' });
    await world.management.patch(`/management/members/${id}`).send({ email: 'ann@example.com' }).expect(409);
    await world.management.delete(`/management/members/${id}`).expect(204);
    await world.management.delete(`/management/members/${id}`).expect(404);
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${id}&sort_by=created_at`)
      .expect(200);
    expect(
      log.items.map(({ action, changes }: { action: string; changes: unknown }) => [action, changes]),
    ).toEqual([
      [
        'member.created',
        { email: { from: null, to: 'carl@example.com' }, role: { from: null, to: 'developer' } },
      ],
      ['member.updated', { role: { from: 'developer', to: 'admin' } }],
      ['member.updated', { email: { from: 'carl@example.com', to: 'carla@example.com' } }],
      [
        'member.deleted',
        { email: { from: 'carla@example.com', to: null }, role: { from: 'admin', to: null } },
      ],
    ]);
  });

  it('lists by role, address and age', async () => {
    const emailsOf = async (query: string) =>
      (await world.management.get(`/management/members?${query}`).expect(200)).body.items.map(
        ({ email }: { email: string }) => email,
      );
    expect(await emailsOf('')).toEqual(['bob@example.com', 'ann@example.com']);
    expect(await emailsOf('sort_by=email')).toEqual(['ann@example.com', 'bob@example.com']);
    expect(await emailsOf('roles=owner,admin')).toEqual(['ann@example.com']);
    expect(await emailsOf('roles=owner&roles=viewer&sort_by=-role')).toEqual([
      'bob@example.com',
      'ann@example.com',
    ]);
    expect(await emailsOf('search=BOB@')).toEqual(['bob@example.com']);
    expect(await emailsOf('search=_nn')).toEqual([]);
  });

  it.each([
    ['email', { role: 'owner' }],
    ['email', { email: 'nobody', role: 'owner' }],
    ['email', { email: `${'a'.repeat(250)}@example.com`, role: 'owner' }],
    ['role', { email: 'a@example.com' }],
    ['role', { email: 'a@example.com', role: 'Owner' }],
    ['name', { email: 'a@example.com', role: 'owner', name: 'A' }],
  ])('names the field %s', async (field, body) => {
    const { body: problem } = await world.management.post('/management/members').send(body).expect(400);
    expect(problem.fields).toContainEqual({ name: field, reason: expect.any(String) });
  });
});
