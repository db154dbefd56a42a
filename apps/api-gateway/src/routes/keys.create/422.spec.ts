// SPDX-License-Identifier: Apache-2.0
import { permissionsOf } from '@chainwatch/common/api-key';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const refused = "Only keys of the operator's workspace can have api:blockchain:write.";

describe("POST /management/keys with what is the operator's", () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('is refused in another workspace, by name, and nothing is made', async () => {
    const body = {
      type: 'api',
      name: 'chains',
      project_id: world.otherProject.projectId,
      permissions: ['api:blockchain:read', 'api:blockchain:write'],
    };
    const { body: problem } = await world.otherManagement.post('/management/keys').send(body).expect(422);
    expect(problem).toMatchObject({ title: 'Unprocessable Entity', detail: refused });
    expect(
      (await world.otherManagement.get('/management/keys?search=chains').expect(200)).body.meta.total,
    ).toBe(0);
    const others = permissionsOf('api').filter((permission) => permission !== 'api:blockchain:write');
    await world.otherManagement
      .post('/management/keys')
      .send({ ...body, permissions: others })
      .expect(201);
  });

  it("is granted in the operator's workspace", async () => {
    const { body } = await world.management
      .post('/management/keys')
      .send({
        type: 'api',
        name: 'chains',
        project_id: world.project.projectId,
        permissions: ['api:blockchain:write'],
      })
      .expect(201);
    await world.send('post', '/v1/blockchains', body.key).send({ chain_gid: 'eip155:1' }).expect(201);
  });

  it('is kept by the roll of an older key, and counts for nothing', async () => {
    await world.db.query(
      `UPDATE api_keys SET permissions = array_append(permissions, 'api:blockchain:write') WHERE project_id = $1 AND name = 'bootstrap api'`,
      [world.otherProject.projectId],
    );
    const { body: list } = await world.otherManagement
      .get('/management/keys?search=bootstrap%20api')
      .expect(200);
    const { body: rolled } = await world.otherManagement
      .post(`/management/keys/${list.items[0].id}/actions/roll`)
      .send({ grace_seconds: 60 })
      .expect(200);
    expect(rolled.permissions).toContain('api:blockchain:write');
    await world.send('post', '/v1/blockchains', rolled.key).send({ chain_gid: 'eip155:10' }).expect(403);
    await world.send('get', '/v1/addresses', rolled.key).expect(200);
  });
});
