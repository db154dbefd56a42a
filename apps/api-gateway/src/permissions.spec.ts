import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey, permissionsOf } from '@chainwatch/api-key';
import { ROUTE_PERMISSIONS, permissionOf } from './permissions.ts';
import { routeTable } from './route-table.ts';
import { startSpecWorld } from './spec-world.ts';
import type { SpecWorld } from './spec-world.ts';

it('has a line for every route, and no other', () => {
  const used = new Set(routeTable.map((route) => `${route.method} ${route.path}`.replace(/ \/channels\//, ' /notification_channels/')));
  used.delete('GET /channels');
  expect([...used].sort()).toEqual(Object.keys(ROUTE_PERMISSIONS).sort());
});

describe('keys and routes', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))('%s asks for its permission, and no other one will do', async (_name, route) => {
    const permission = permissionOf(route);
    const path = `/v1${route.path.replace(/:\w+/g, 'x')}`;
    const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
    const all = permissionsOf('api');
    const without = await world.send(method, path, await insertKey(all.filter((one) => one !== permission)));
    if (permission === 'any') expect(without.status).toBe(200);
    else expect([without.status, without.body.detail]).toEqual([403, `The API key does not have the permission ${permission}.`]);
    const exact = await world.send(method, path, await insertKey(permission === 'any' ? [] : [permission]));
    expect(exact.status).not.toBe(403);
  });

  it.each(['rpc', 'management'] as const)('a %s key may see the version and nothing else', async (type) => {
    const key = world.project.keys[type];
    await world.send('get', '/v1/version', key).expect(200);
    const { body } = await world.send('get', '/v1/addresses', key).expect(403);
    expect(body).toMatchObject({ type: 'https://docs.example.com/errors/forbidden', title: 'Forbidden', status: 403 });
  });

  async function insertKey(permissions: readonly string[]): Promise<string> {
    const key = generateApiKey({ label: 'svc', type: 'api', randomBytes });
    await world.db.query(
      `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions) VALUES ('api', $1, $2, 'spec', 'spec', $3, $4)`,
      [world.project.workspaceId, world.project.projectId, Buffer.from(hashApiKey(key)), permissions],
    );
    return key;
  }
});
