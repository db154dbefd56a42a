// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

const valid = { type: 'rpc', name: 'k', permissions: ['rpc:evm:read'] };
const project = '00000000-0000-4000-8000-000000000000';

describe('POST /management/keys with what is no key', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each<[string, object]>([
    ['type', { ...valid, type: 'management' }],
    ['name', { ...valid, name: '' }],
    ['project_id', { ...valid, type: 'api', permissions: ['api:address:read'] }],
    ['project_id', { ...valid, type: 'api', permissions: ['api:address:read'], project_id: null }],
    ['project_id', { ...valid, project_id: project }],
    ['project_id', { ...valid, type: 'mgt', permissions: ['mgt:key:read'], project_id: project }],
    ['project_id', { ...valid, type: 'api', permissions: ['api:address:read'], project_id: 'mine' }],
    ['permissions', { ...valid, permissions: [] }],
    ['permissions', { ...valid, permissions: ['rpc:evm:read', 'mgt:key:write'] }],
    ['permissions[1]', { ...valid, permissions: ['rpc:evm:read', 'rpc:*:read'] }],
    ['permissions', { ...valid, permissions: 'rpc:evm:read' }],
    ['expires_at', { ...valid, expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { ...valid, expires_at: 'tomorrow' }],
    ['expires_at', { ...valid, expires_at: '9999-12-31T23:59:59-23:59' }],
    ['key', { ...valid, key: 'svc_rpc_x' }],
  ])('names the field %s', async (field, body) => {
    const { body: problem } = await world.management.post('/management/keys').send(body).expect(400);
    expect(problem.fields).toContainEqual({ name: field, reason: expect.any(String) });
    expect((await world.management.get('/management/audit_logs').expect(200)).body.meta.total).toBe(0);
  });

  it('is 404 for a project that is not there', async () => {
    await world.management
      .post('/management/keys')
      .send({ ...valid, type: 'api', permissions: ['api:address:read'], project_id: project })
      .expect(404);
  });
});
