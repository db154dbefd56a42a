// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

describe('/management/workspace', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it('is the workspace of the key', async () => {
    const { body } = await world.management.get('/management/workspace').expect(200);
    expect(body).toEqual({
      id: world.project.workspaceId,
      name: 'Default',
      is_operator: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await world.otherManagement.get('/management/workspace').expect(200)).body).toMatchObject({
      id: world.otherProject.workspaceId,
      is_operator: false,
    });
  });

  it('takes another name, and writes down who gave it', async () => {
    const before = (await world.management.get('/management/workspace').expect(200)).body;
    const { body } = await world.management
      .patch('/management/workspace')
      .set('X-Request-Id', 'rename-1')
      .send({ name: ' Acme ' })
      .expect(200);
    expect(body).toMatchObject({ id: before.id, name: 'Acme', created_at: before.created_at });
    expect(body.updated_at > before.updated_at).toBe(true);
    const { body: log } = await world.management.get('/management/audit_logs').expect(200);
    expect(log.items).toMatchObject([
      {
        action: 'workspace.updated',
        target: { type: 'workspace', id: before.id },
        changes: { name: { from: 'Default', to: 'Acme' } },
        request_id: 'rename-1',
        actor: { name: 'bootstrap mgt' },
      },
    ]);
    // The same name again changes nothing, and nothing is written.
    expect(
      (await world.management.patch('/management/workspace').send({ name: 'Acme' }).expect(200)).body,
    ).toEqual(body);
    expect((await world.management.get('/management/audit_logs').expect(200)).body.meta.total).toBe(1);
  });

  it.each([{}, { name: '' }, { name: 'x'.repeat(256) }, { name: null }, { id: 'x' }])(
    'refuses %j',
    async (body) => {
      expect(
        (await world.management.patch('/management/workspace').send(body).expect(400)).body.fields.length,
      ).toBeGreaterThan(0);
    },
  );
});
