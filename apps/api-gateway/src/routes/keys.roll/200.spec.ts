// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('POST /management/keys/{id}/actions/roll', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());
  const make = async (more: object = {}): Promise<{ id: string; key: string }> =>
    (
      await world.management
        .post('/management/keys')
        .send({
          type: 'api',
          name: 'k',
          project_id: world.project.projectId,
          permissions: ['api:address:read'],
          ...more,
        })
        .expect(201)
    ).body;
  const roll = (id: string, body: object) =>
    world.management.post(`/management/keys/${id}/actions/roll`).send(body);

  it('puts a key that may the same in its place; both work during the grace', async () => {
    const old = await make();
    const { body } = await roll(old.id, { grace_seconds: 3_600 }).expect(200);
    expect(body).toMatchObject({
      type: 'api',
      name: 'k',
      project_id: world.project.projectId,
      permissions: ['api:address:read'],
      status: 'active',
      expires_at: null,
      replaced_by: null,
    });
    expect(body.id).not.toBe(old.id);
    expect(body.previous).toMatchObject({
      id: old.id,
      status: 'active',
      replaced_by: body.id,
      revoked_at: null,
    });
    const graceMs = Date.parse(body.previous.expires_at) - Date.now();
    expect(graceMs).toBeGreaterThan(3_590_000);
    expect(graceMs).toBeLessThanOrEqual(3_600_000);
    for (const key of [old.key, body.key]) await world.send('get', '/v1/addresses', key).expect(200);
    expect(world.published.at(-1)).toMatchObject({
      kind: 'key.revoked',
      payload: { key_id: old.id, ends_at: body.previous.expires_at },
    });
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${old.id},${body.id}&sort_by=created_at`)
      .expect(200);
    expect(
      log.items
        .map(({ action, target }: { action: string; target: { id: string } }) => [action, target.id])
        .sort(),
    ).toEqual(
      [
        ['key.created', old.id],
        ['key.created', body.id],
        ['key.rolled', old.id],
      ].sort(),
    );
    const rolled = log.items.find(({ action }: { action: string }) => action === 'key.rolled');
    expect(rolled.changes).toEqual({
      replaced_by: { from: null, to: body.id },
      expires_at: { from: null, to: body.previous.expires_at },
    });
  });

  it('ends the old one when the grace is over', async () => {
    const old = await make();
    const { body } = await roll(old.id, { grace_seconds: 3_600 }).expect(200);
    await world.send('get', '/v1/addresses', old.key).expect(200);
    world.clock.aheadMs = 3_600_001;
    await world.send('get', '/v1/addresses', old.key).expect(401);
    await world.send('get', '/v1/addresses', body.key).expect(200);
    world.clock.aheadMs = 0;
  });

  it('without a grace revokes the old one at once, and tells every replica', async () => {
    const old = await make();
    await world.send('get', '/v1/addresses', old.key).expect(200);
    world.published.length = 0;
    const { body } = await roll(old.id, { grace_seconds: 0 }).expect(200);
    expect(body.previous).toMatchObject({ status: 'revoked', replaced_by: body.id });
    await world.send('get', '/v1/addresses', old.key).expect(401);
    expect(world.published).toMatchObject([{ kind: 'key.revoked', payload: { key_id: old.id } }]);
  });

  it('does not outlive the end that the key had', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const old = await make({ expires_at });
    const { body } = await roll(old.id, { grace_seconds: 3_600 }).expect(200);
    expect([body.expires_at, body.previous.expires_at]).toEqual([expires_at, expires_at]);
  });

  it('of several at once makes one successor; a key that was rolled, revoked or has expired is 409', async () => {
    const old = await make();
    const answers = await Promise.all([1, 2, 3].map(() => roll(old.id, { grace_seconds: 60 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const revoked = await make();
    await world.management.delete(`/management/keys/${revoked.id}`).expect(204);
    expect((await roll(revoked.id, { grace_seconds: 60 }).expect(409)).body.detail).toContain('revoked');
    const expired = await make();
    await world.db.query(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [
      expired.id,
    ]);
    expect((await roll(expired.id, { grace_seconds: 60 }).expect(409)).body.detail).toContain('expired');
  });

  it('lets a key roll itself', async () => {
    const old = await make({ type: 'mgt', project_id: null, permissions: ['mgt:key:write'] });
    const { body } = await world
      .send('post', `/v1/management/keys/${old.id}/actions/roll`, old.key)
      .send({ grace_seconds: 0 })
      .expect(200);
    await world
      .send('post', `/v1/management/keys/${body.id}/actions/roll`, body.key)
      .send({ grace_seconds: 60 })
      .expect(200);
  });

  it.each([
    {},
    { grace_seconds: -1 },
    { grace_seconds: 1.5 },
    { grace_seconds: 2_592_001 },
    { grace_seconds: '60' },
  ])('refuses %j', async (body) => {
    const { body: problem } = await roll('00000000-0000-4000-8000-000000000000', body).expect(400);
    expect(problem.fields[0].name).toBe('grace_seconds');
  });

  it('is 404 for a key that is not there', async () => {
    await roll('00000000-0000-4000-8000-000000000000', { grace_seconds: 1 }).expect(404);
  });
});
