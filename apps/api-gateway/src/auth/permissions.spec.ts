import { randomBytes } from 'node:crypto';
import { generateApiKey, hashApiKey, permissionsOf } from '@chainwatch/api-key';
import type { ApiKeyType } from '@chainwatch/api-key';
import { ROUTE_PERMISSIONS, keyTypeOf, permissionOf } from './permissions.ts';
import { routeTable } from '../route-table.ts';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

it('has a line for every route, and no other', () => {
  const used = new Set(
    routeTable.map((route) =>
      `${route.method} ${route.path}`
        .replace(/ \/channels\//, ' /notification_channels/')
        .replace(':channel_id', ':notification_channel_id'),
    ),
  );
  used.delete('GET /channels');
  expect([...used].sort()).toEqual(Object.keys(ROUTE_PERMISSIONS).sort());
});

describe('keys and routes', () => {
  let world: SpecWorld;
  beforeAll(async () => {
    world = await startSpecWorld();
  });
  afterAll(() => world.stop());

  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s asks for its permission, and no other one will do',
    async (_name, route) => {
      const permission = permissionOf(route);
      const path = `/v1${route.path.replace(/:\w+/g, 'x')}`;
      const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      const type = permission === 'any' ? 'api' : keyTypeOf(permission);
      const without = await world.send(
        method,
        path,
        await insertKey(
          type,
          permissionsOf(type).filter((one) => one !== permission),
        ),
      );
      if (permission === 'any') expect(without.status).toBe(200);
      else
        expect([without.status, without.body.detail]).toEqual([
          403,
          `The API key does not have the permission ${permission}.`,
        ]);
      const exact = await world.send(
        method,
        path,
        await insertKey(type, permission === 'any' ? [] : [permission]),
      );
      expect(exact.status).not.toBe(403);
    },
  );

  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s lets in keys of its own type only, whatever they hold',
    async (_name, route) => {
      const permission = permissionOf(route);
      if (permission === 'any') return;
      const type = keyTypeOf(permission);
      const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      for (const other of (['api', 'rpc', 'mgt'] as const).filter((one) => one !== type)) {
        const { body } = await world
          .send(
            method,
            `/v1${route.path.replace(/:\w+/g, 'x')}`,
            await insertKey(other, [...permissionsOf(other), permission]),
          )
          .expect(403);
        expect(body).toMatchObject({
          type: 'https://docs.example.com/errors/forbidden',
          title: 'Forbidden',
          status: 403,
        });
        expect(body.detail).toBe(
          `This key is not a key of the ${type === 'mgt' ? 'management interface' : 'platform API'}.`,
        );
      }
    },
  );

  const operatorRoutes = routeTable
    .filter((route) => permissionOf(route) === 'api:blockchain:write')
    .map((route) => [`${route.method} ${route.path}`, route] as const);
  it.each(operatorRoutes)(
    "%s is for the operator's workspace: an older key of another one that has the permission is turned away",
    async (_name, route) => {
      const key = await insertKey('api', permissionsOf('api'), world.otherProject);
      const { body } = await world
        .send(route.method.toLowerCase() as 'post' | 'patch', `/v1${route.path.replace(/:\w+/g, 'x')}`, key)
        .expect(403);
      expect(body.detail).toBe(
        "The permission api:blockchain:write counts for keys of the operator's workspace only.",
      );
    },
  );

  it.each(['api', 'rpc', 'management'] as const)(
    'a bootstrapped %s key may see the version',
    async (type) => {
      await world.send('get', '/v1/version', world.project.keys[type]).expect(200);
    },
  );

  async function insertKey(
    type: ApiKeyType,
    permissions: readonly string[],
    owner = world.project,
  ): Promise<string> {
    const key = generateApiKey({ label: 'svc', type, randomBytes });
    await world.db.query(
      `INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions) VALUES ($1, $2, $3, 'spec', 'spec', $4, $5)`,
      [
        type,
        owner.workspaceId,
        type === 'api' ? owner.projectId : null,
        Buffer.from(hashApiKey(key)),
        permissions,
      ],
    );
    return key;
  }
});
