// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

interface Entry {
  action: string;
  created_at: string;
  actor: { key_id: string };
}

describe('GET /management/audit_logs', () => {
  let world: SpecWorld;
  let second: { id: string; key: string; mask: string };
  let projectId: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    second = (
      await world.management
        .post('/management/keys')
        .set('X-Request-Id', 'first')
        .send({ type: 'mgt', name: 'second', permissions: ['mgt:project:write'] })
        .expect(201)
    ).body;
    projectId = (
      await world
        .send('post', '/v1/management/projects', second.key)
        .set('X-Request-Id', 'again')
        .send({ name: 'p' })
        .expect(201)
    ).body.id;
    await world.management
      .post('/management/members')
      .set('X-Request-Id', 'again')
      .send({ email: 'a@example.com', role: 'viewer' })
      .expect(201);
  });
  afterAll(() => world.stop());
  const actionsOf = async (query: string): Promise<string[]> =>
    (await world.management.get(`/management/audit_logs?${query}`).expect(200)).body.items.map(
      ({ action }: Entry) => action,
    );

  it('tells who changed what, when and with which request', async () => {
    const { body } = await world.management
      .get(`/management/audit_logs?actor_key_ids=${second.id}`)
      .expect(200);
    expect(body.items).toEqual([
      {
        id: expect.any(String),
        action: 'project.created',
        actor: { key_id: second.id, member_id: null, name: 'second', mask: second.mask },
        target: { type: 'project', id: projectId },
        changes: { name: { from: null, to: 'p' } },
        request_id: 'again',
        created_at: expect.any(String),
      },
    ]);
    expect(Math.abs(Date.parse(body.items[0].created_at) - Date.now())).toBeLessThan(60_000);
    expect(body.meta).toEqual({ limit: 20, page: 1, total: 1, total_pages: 1 });
  });

  it('is sorted by time and filtered by everything it tells', async () => {
    expect(await actionsOf('')).toEqual(['member.created', 'project.created', 'key.created']);
    expect(await actionsOf('sort_by=created_at&limit=2')).toEqual(['key.created', 'project.created']);
    expect(await actionsOf('actions=key.created,member.created')).toEqual(['member.created', 'key.created']);
    expect(await actionsOf('target_types=project')).toEqual(['project.created']);
    expect(await actionsOf(`target_ids=${second.id}`)).toEqual(['key.created']);
    expect(await actionsOf('request_id=again')).toEqual(['member.created', 'project.created']);
    expect(await actionsOf('search=SECO')).toEqual(['project.created']);
    const { body } = await world.management.get('/management/audit_logs').expect(200);
    expect(
      await actionsOf(`since=${new Date(Date.parse(body.items[0].created_at) + 1_000).toISOString()}`),
    ).toEqual([]);
    expect(
      await actionsOf(`until=${new Date(Date.parse(body.items[2].created_at) - 1_000).toISOString()}`),
    ).toEqual([]);
    expect(await actionsOf('since=0000-01-01T00:00:00Z&until=9999-12-31T23:59:59Z')).toHaveLength(3);
  });

  it('has no entry of a change that failed, and there is no change without its entry', async () => {
    await world.management
      .post('/management/members')
      .send({ email: 'a@example.com', role: 'viewer' })
      .expect(409);
    expect(await actionsOf('')).toHaveLength(3);
    await world.db.query('ALTER TABLE audit_logs ADD CONSTRAINT broken CHECK (false) NOT VALID');
    try {
      await world.management.post('/management/projects').send({ name: 'unwritten' }).expect(500);
      await world.management.delete(`/management/projects/${projectId}`).expect(500);
    } finally {
      await world.db.query('ALTER TABLE audit_logs DROP CONSTRAINT broken');
      world.failures.length = 0;
    }
    expect(
      (await world.management.get('/management/projects').expect(200)).body.items.map(
        ({ name }: { name: string }) => name,
      ),
    ).toEqual(['p', 'Default']);
  });

  it('cannot be changed: there is no other method', async () => {
    expect((await world.management.delete('/management/audit_logs').expect(405)).headers.allow).toBe(
      'GET, HEAD',
    );
  });

  it.each(['sort_by=action', 'actions=key.made', 'target_ids=x', 'since=yesterday', 'target_types=delivery'])(
    'refuses ?%s',
    async (query) => {
      await world.management.get(`/management/audit_logs?${query}`).expect(400);
    },
  );
});
