// SPDX-License-Identifier: Apache-2.0
import { families } from '../../records/path-schemas.ts';
import { hashApiKey, parseApiKey, permissionsOf } from '@chainwatch/common/api-key';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe.each(['svc', 'acmeo'])('POST /management/keys under the label %s', (label) => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld({ label });
  });
  afterAll(() => world.stop());

  it('makes a key of each type that works at once', async () => {
    for (const type of ['api', 'rpc', 'mgt'] as const) {
      const permissions = [...permissionsOf(type, families)];
      const project_id = type === 'api' ? world.project.projectId : null;
      const { body } = await world.management
        .post('/management/keys')
        .send({ type, name: `my ${type}`, project_id, permissions })
        .expect(201);
      expect(parseApiKey(body.key, label)).toMatchObject({ ok: true, type });
      expect(body).toEqual({
        id: expect.any(String),
        key: body.key,
        type,
        name: `my ${type}`,
        mask: `${label}_${type}_****${body.key.slice(-4)}`,
        project_id,
        permissions,
        status: 'active',
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
        replaced_by: null,
        created_at: expect.any(String),
      });
      await world.send('get', '/v1/version', body.key).expect(200);
      const { key, ...rest } = body;
      expect((await world.management.get(`/management/keys/${body.id}`).expect(200)).body).toEqual({
        ...rest,
        last_used_at: expect.any(String),
      });
      const { rows } = await world.db.query<{ key_hash: Buffer }>(
        'SELECT key_hash FROM api_keys WHERE id = $1',
        [body.id],
      );
      expect(rows[0]!.key_hash.equals(Buffer.from(hashApiKey(key)))).toBe(true);
    }
  });

  it('keeps its text out of every table, the audit log included, and of every later answer', async () => {
    const { body: made } = await world.management
      .post('/management/keys')
      .send({ type: 'rpc', name: 'secret', permissions: ['rpc:evm:read'] })
      .expect(201);
    const { body: rolled } = await world.management
      .post(`/management/keys/${made.id}/actions/roll`)
      .send({ grace_seconds: 60 })
      .expect(200);
    const random = (key: string) => key.slice(`${label}_rpc_`.length, -4);
    const { rows: tables } = await world.db.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    for (const { name } of tables) {
      const { rowCount } = await world.db.query(`SELECT FROM ${name} AS t WHERE t::text LIKE ANY ($1)`, [
        [made.key, rolled.key].map((key: string) => `%${random(key)}%`),
      ]);
      expect([name, rowCount]).toEqual([name, 0]);
    }
    for (const path of ['keys', `keys/${made.id}`, `keys/${rolled.id}`, 'audit_logs']) {
      const { text } = await world.management.get(`/management/${path}`).expect(200);
      for (const key of [made.key, rolled.key]) expect(text).not.toContain(random(key));
    }
    const { body: log } = await world.management
      .get(`/management/audit_logs?target_ids=${made.id}&actions=key.created`)
      .expect(200);
    expect(log.items[0].changes).toEqual({
      type: { from: null, to: 'rpc' },
      name: { from: null, to: 'secret' },
      mask: { from: null, to: made.mask },
      permissions: { from: null, to: ['rpc:evm:read'] },
    });
  });

  it('ends the key when it was told to', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await world.management
      .post('/management/keys')
      .send({ type: 'mgt', name: 'short', permissions: ['mgt:key:read'], expires_at })
      .expect(201);
    expect(body).toMatchObject({ expires_at, status: 'active' });
    await world.send('get', '/v1/version', body.key).expect(200);
    world.clock.aheadMs = 3_600_001;
    await world.send('get', '/v1/version', body.key).expect(401);
    world.clock.aheadMs = 0;
    await world.db.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      body.id,
    ]);
    expect((await world.management.get(`/management/keys/${body.id}`).expect(200)).body.status).toBe(
      'expired',
    );
  });

  it('lists keys by type, project, status and name', async () => {
    const namesOf = async (query: string) =>
      (await world.management.get(`/management/keys?limit=100&${query}`).expect(200)).body.items.map(
        ({ name }: { name: string }) => name,
      );
    expect(await namesOf('types=api&sort_by=name')).toEqual(['bootstrap api', 'my api']);
    expect(await namesOf('types=api,mgt&sort_by=-created_at')).toEqual([
      'short',
      'my mgt',
      'my api',
      ...(await namesOf('search=bootstrap&types=api,mgt')),
    ]);
    expect(await namesOf(`project_ids=${world.project.projectId}&sort_by=created_at`)).toEqual([
      'bootstrap api',
      'my api',
    ]);
    expect(await namesOf('statuses=expired')).toEqual(['short']);
    expect(await namesOf('statuses=revoked')).toEqual([]);
    expect((await namesOf('statuses=active,expired')).length).toBe((await namesOf('')).length);
    expect((await namesOf('statuses=active')).length).toBe((await namesOf('')).length - 1);
    expect(await namesOf('search=SHO')).toEqual(['short']);
    expect(await namesOf(`search=${label}_mgt_&sort_by=name`)).toEqual(['bootstrap mgt', 'my mgt', 'short']);
    await world.management.get('/management/keys?sort_by=key_hash').expect(400);
  });
});
