// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('what a management key may grant', () => {
  let world: SpecWorld;
  let weak: string;
  beforeAll(async () => {
    world = await startSpecWorld();
    weak = await make(world.project.keys.management, ['mgt:key:read', 'mgt:key:write', 'mgt:member:read']);
  });
  afterAll(() => world.stop());

  const send = (key: string, permissions: string[], type = 'mgt', project_id?: string) =>
    world.send('post', '/v1/management/keys', key).send({ type, name: 'granted', permissions, project_id });
  const make = async (key: string, permissions: string[]): Promise<string> =>
    (await send(key, permissions).expect(201)).body.key;

  it('is what it holds, and not more', async () => {
    await make(weak, ['mgt:member:read', 'mgt:key:write']);
    const { body } = await send(weak, ['mgt:member:read', 'mgt:member:write', 'mgt:audit:read']).expect(403);
    expect(body).toMatchObject({ title: 'Forbidden', type: 'https://docs.example.com/errors/forbidden' });
    expect(body.detail).toContain('This key lacks mgt:member:write, mgt:audit:read');
    const { rows } = await world.db.query(
      `SELECT FROM api_keys WHERE 'mgt:member:write' = ANY (permissions)`,
    );
    // Those of the two bootstrapped keys.
    expect(rows).toHaveLength(2);
  });

  it('is every permission of api and rpc keys, with mgt:key:write', async () => {
    await send(
      weak,
      ['api:address:write', 'api:webhook_secret:rotate'],
      'api',
      world.project.projectId,
    ).expect(201);
    await send(weak, ['rpc:evm:send'], 'rpc').expect(201);
    const reader = await make(weak, ['mgt:key:read']);
    expect((await send(reader, ['rpc:evm:send'], 'rpc').expect(403)).body.detail).toContain('mgt:key:write');
  });

  it('counts for rolling too: the successor of a stronger key is not for a weaker one', async () => {
    const { body: list } = await world.management
      .get('/management/keys?search=bootstrap&types=mgt')
      .expect(200);
    await world
      .send('post', `/v1/management/keys/${list.items[0].id}/actions/roll`, weak)
      .send({ grace_seconds: 60 })
      .expect(403);
    expect(
      (await world.management.get(`/management/keys/${list.items[0].id}`).expect(200)).body,
    ).toMatchObject({ replaced_by: null, expires_at: null });
  });
});
