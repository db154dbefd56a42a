// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('/management/projects', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('adds a project that a key can be made for, renames it, and writes both down', async () => {
    const { body: project } = await world.management
      .post('/management/projects')
      .send({ name: 'Shop' })
      .expect(201);
    expect(project).toEqual({
      id: expect.any(String),
      name: 'Shop',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await world.management.get(`/management/projects/${project.id}`).expect(200)).body).toEqual(
      project,
    );
    const { body: made } = await world.management
      .post('/management/keys')
      .send({ type: 'api', name: 'k', project_id: project.id, permissions: ['api:address:read'] })
      .expect(201);
    expect((await world.send('get', '/v1/addresses', made.key).expect(200)).body.meta.total).toBe(0);
    const { body: renamed } = await world.management
      .patch(`/management/projects/${project.id}`)
      .send({ name: 'Till' })
      .expect(200);
    expect(renamed).toMatchObject({ id: project.id, name: 'Till', created_at: project.created_at });
    expect(
      (await world.management.patch(`/management/projects/${project.id}`).send({ name: 'Till' }).expect(200))
        .body,
    ).toEqual(renamed);
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${project.id}&sort_by=created_at`)
      .expect(200);
    expect(log.items).toMatchObject([
      { action: 'project.created', changes: { name: { from: null, to: 'Shop' } } },
      { action: 'project.updated', changes: { name: { from: 'Shop', to: 'Till' } } },
    ]);
  });

  it('lists by name or age, a part of the name searched', async () => {
    for (const name of ['b 50%', 'a_1'])
      await world.management.post('/management/projects').send({ name }).expect(201);
    const namesOf = async (query: string) =>
      (await world.management.get(`/management/projects?${query}`).expect(200)).body.items.map(
        ({ name }: { name: string }) => name,
      );
    expect(await namesOf('')).toEqual(['a_1', 'b 50%', 'Till', 'Default']);
    expect(await namesOf('sort_by=created_at')).toEqual(['Default', 'Till', 'b 50%', 'a_1']);
    expect(await namesOf('sort_by=name')).toEqual(
      await namesOf('sort_by=-name').then((names: string[]) => names.reverse()),
    );
    expect(await namesOf('search=DEFA')).toEqual(['Default']);
    expect(await namesOf('search=%25')).toEqual(['b 50%']);
    expect(await namesOf('search=_')).toEqual(['a_1']);
    expect(
      (await world.management.get('/management/projects?limit=3&page=2').expect(200)).body,
    ).toMatchObject({ items: [{ name: 'Default' }], meta: { limit: 3, page: 2, total: 4, total_pages: 2 } });
  });

  it.each(['sort_by=id', 'search=', 'limit=101', 'name=a'])('refuses ?%s', async (query) => {
    await world.management.get(`/management/projects?${query}`).expect(400);
  });
  it.each([{}, { name: ' ' }, { name: 'a', workspace_id: 'x' }])('refuses %j', async (body) => {
    await world.management.post('/management/projects').send(body).expect(400);
  });
});
