// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { families } from '../records/path-schemas.ts';
import { generateApiKey, hashApiKey, permissionsOf } from '@chainwatch/common/api-key';
import type { ApiKeyType, Permission } from '@chainwatch/common/api-key';
import { authorizerOf } from './authenticate.ts';
import { routeTable } from '../route-table.ts';
import { keyTypeOf } from './key-type-of.ts';
import { startSpecWorld } from '../spec-support/spec-world.ts';
import type { SpecWorld } from '../spec-support/spec-world.ts';

/** The contract (decisions.md §7), typed a second time on purpose: what a route asks for changes in two places or not at all. */
const EXPECTED: Readonly<Record<string, Permission | 'any'>> = {
  'GET /version': 'any',
  'GET /session': 'any',
  'POST /session': 'any',
  'DELETE /session': 'any',
  // Finds what the key may read, nothing else.
  'GET /search': 'any',
  'GET /networks': 'any',
  'GET /networks/:chain_gid': 'any',
  'PUT /networks/:chain_gid': 'api:blockchain:write',
  'DELETE /networks/:chain_gid': 'api:blockchain:write',
  'GET /stats': 'api:event:read',
  'GET /stats/series': 'api:event:read',

  'GET /blockchains': 'api:blockchain:read',
  'POST /blockchains': 'api:blockchain:write',
  'GET /blockchains/:chain_gid': 'api:blockchain:read',
  'POST /blockchains/:chain_gid/actions/activate': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/deactivate': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/reprocess': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/reset': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/skip': 'api:blockchain:write',
  // Nodes are the operator's: no other workspace may learn which ones it has.
  'GET /blockchains/:chain_gid/nodes': 'api:blockchain:write',
  'GET /blockchains/:chain_gid/endpoints': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/endpoints': 'api:blockchain:write',
  'GET /blockchains/:chain_gid/endpoints/:endpoint_id': 'api:blockchain:write',
  'PATCH /blockchains/:chain_gid/endpoints/:endpoint_id': 'api:blockchain:write',
  'DELETE /blockchains/:chain_gid/endpoints/:endpoint_id': 'api:blockchain:write',
  'GET /blockchains/:chain_gid/incidents': 'api:blockchain:read',
  'POST /blockchains/:chain_gid/incidents/:incident_id/actions/accept': 'api:blockchain:write',
  'PATCH /blockchains/:chain_gid/evm': 'api:blockchain:write',
  'PATCH /blockchains/:chain_gid/solana': 'api:blockchain:write',
  'PATCH /blockchains/:chain_gid/tron': 'api:blockchain:write',
  'PATCH /blockchains/:chain_gid/bitcoin': 'api:blockchain:write',

  'GET /blocks': 'api:block:read',
  'GET /blocks/:chain_gid/:block_number': 'api:block:read',

  'GET /assets': 'api:asset:read',
  'POST /assets/:chain_gid/:asset_path/actions/archive': 'api:asset:write',
  'POST /assets/:chain_gid/:asset_path/actions/restore': 'api:asset:write',

  'GET /tokens': 'api:token:read',
  'POST /tokens/:chain_gid/:asset_path': 'api:token:write',
  'POST /tokens/:chain_gid/:asset_path/actions/refresh': 'api:token:write',
  'GET /tokens/:chain_gid/:asset_path': 'api:token:read',

  'GET /public_keys': 'api:public_key:read',
  'POST /public_keys': 'api:public_key:write',
  'GET /public_keys/:public_key_id': 'api:public_key:read',
  'PATCH /public_keys/:public_key_id': 'api:public_key:write',
  'DELETE /public_keys/:public_key_id': 'api:public_key:write',
  'GET /public_keys/:public_key_id/addresses': 'api:address:read',
  'POST /public_keys/:public_key_id/addresses': 'api:address:write',
  'POST /public_keys/:public_key_id/addresses/next': 'api:address:write',

  'GET /addresses': 'api:address:read',
  'GET /addresses/hd': 'api:address:read',
  'POST /addresses/external': 'api:address:write',
  'POST /addresses/external/batch': 'api:address:write',
  'PATCH /addresses': 'api:address:write',
  'POST /addresses/balances/query': 'api:address:read',
  'POST /addresses/check': 'api:address:read',
  'GET /addresses/:address': 'api:address:read',
  'PATCH /addresses/:address': 'api:address:write',
  'DELETE /addresses/:address': 'api:address:write',
  'POST /addresses/:address/actions/backfill': 'api:address:write',
  'GET /addresses/:address/hd': 'api:address:read',
  'GET /addresses/:address/external': 'api:address:read',
  'GET /addresses/:address/adjustments': 'api:address:read',
  'GET /addresses/:address/balances': 'api:address:read',
  'GET /addresses/:address/balances/details': 'api:address:read',
  'GET /addresses/:address/balances/history': 'api:address:read',
  'GET /addresses/:address/utxos': 'api:address:read',

  'GET /transactions': 'api:transaction:read',

  'GET /transactions/:transaction_id': 'api:transaction:read',
  'GET /transactions/:chain_gid/:hash': 'api:transaction:read',
  'GET /transactions/:chain_gid/:hash/proof': 'api:transaction:read',
  'GET /confirmation_policies': 'api:confirmation_policy:read',
  'GET /confirmation_policies/:chain_gid': 'api:confirmation_policy:read',
  'PUT /confirmation_policies/:chain_gid': 'api:confirmation_policy:write',
  'DELETE /confirmation_policies/:chain_gid': 'api:confirmation_policy:write',

  'GET /reconciliations': 'api:reconciliation:read',
  'POST /reconciliations': 'api:reconciliation:write',
  'GET /reconciliations/:reconciliation_id': 'api:reconciliation:read',
  'GET /reconciliations/:reconciliation_id/rows': 'api:reconciliation:read',
  'DELETE /reconciliations/:reconciliation_id': 'api:reconciliation:write',

  'GET /events': 'api:event:read',
  'GET /events/stream': 'api:event:read',
  'GET /incidents': 'api:event:read',
  'GET /events/:event_id': 'api:event:read',
  'GET /events/:event_id/deliveries': 'api:delivery:read',

  'GET /notification_channels': 'api:notification_channel:read',
  'POST /notification_channels/preview': 'api:notification_channel:write',
  'POST /notification_channels/webhook': 'api:notification_channel:write',
  'GET /channels': 'api:notification_channel:read',
  'POST /channels': 'api:notification_channel:write',
  'PATCH /notification_channels/webhook/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/nats': 'api:notification_channel:write',
  'PATCH /notification_channels/nats/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/telegram': 'api:notification_channel:write',
  'PATCH /notification_channels/telegram/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/slack': 'api:notification_channel:write',
  'PATCH /notification_channels/slack/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/discord': 'api:notification_channel:write',
  'PATCH /notification_channels/discord/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/http_batch': 'api:notification_channel:write',
  'PATCH /notification_channels/http_batch/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/kafka': 'api:notification_channel:write',
  'PATCH /notification_channels/kafka/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/rabbitmq': 'api:notification_channel:write',
  'PATCH /notification_channels/rabbitmq/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/redis_stream': 'api:notification_channel:write',
  'PATCH /notification_channels/redis_stream/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/sqs': 'api:notification_channel:write',
  'PATCH /notification_channels/sqs/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/email': 'api:notification_channel:write',
  'PATCH /notification_channels/email/:notification_channel_id': 'api:notification_channel:write',
  'GET /notification_channels/:notification_channel_id': 'api:notification_channel:read',
  'DELETE /notification_channels/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/archive': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/restore': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/test': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/rehearse': 'api:notification_channel:write',
  'GET /notification_channels/:notification_channel_id/webhook-secrets': 'api:webhook_secret:read',
  'POST /notification_channels/:notification_channel_id/webhook-secrets/actions/rotate':
    'api:webhook_secret:rotate',
  'DELETE /notification_channels/:notification_channel_id/webhook-secrets/previous':
    'api:webhook_secret:rotate',
  'GET /notification_channels/:notification_channel_id/deliveries': 'api:delivery:read',
  'GET /notification_channels/:notification_channel_id/deliveries/:delivery_id': 'api:delivery:read',
  'POST /notification_channels/:notification_channel_id/deliveries/:delivery_id/actions/redeliver':
    'api:delivery:replay',
  'POST /notification_channels/:notification_channel_id/deliveries/actions/recover': 'api:delivery:replay',

  'GET /statements': 'api:statement:read',
  'POST /statements': 'api:statement:write',
  'GET /statements/:statement_id': 'api:statement:read',
  'GET /statements/:statement_id/download': 'api:statement:read',
  'DELETE /statements/:statement_id': 'api:statement:write',
  'GET /portal_sessions': 'api:notification_channel:read',
  'POST /portal_sessions': 'api:notification_channel:write',
  'GET /portal_sessions/:portal_session_id': 'api:notification_channel:read',
  'DELETE /portal_sessions/:portal_session_id': 'api:notification_channel:write',

  'GET /management/workspace': 'mgt:workspace:read',
  'PATCH /management/workspace': 'mgt:workspace:write',
  'GET /management/workspaces/:workspace_id/quotas': 'mgt:quota:read',
  'PUT /management/workspaces/:workspace_id/quotas': 'mgt:quota:write',
  'GET /management/projects': 'mgt:project:read',
  'POST /management/projects': 'mgt:project:write',
  'GET /management/projects/:project_id': 'mgt:project:read',
  'PATCH /management/projects/:project_id': 'mgt:project:write',
  'DELETE /management/projects/:project_id': 'mgt:project:write',
  'GET /management/members': 'mgt:member:read',
  'POST /management/members': 'mgt:member:write',
  'PATCH /management/members/:member_id': 'mgt:member:write',
  'DELETE /management/members/:member_id': 'mgt:member:write',
  'GET /management/keys': 'mgt:key:read',
  'POST /management/keys': 'mgt:key:write',
  'GET /management/keys/:key_id': 'mgt:key:read',
  'DELETE /management/keys/:key_id': 'mgt:key:write',
  'POST /management/keys/:key_id/actions/roll': 'mgt:key:write',
  'GET /management/audit_logs': 'mgt:audit:read',
  'GET /management/usage': 'mgt:key:read',
};

it('is asked for by every route as the contract says; /channels is a second name', () => {
  const asked = routeTable.map(({ method, path, permission }) =>
    `${method} ${path} ${permission}`
      .replace(/ \/channels\//, ' /notification_channels/')
      .replace(':channel_id', ':notification_channel_id'),
  );
  const expected = Object.entries(EXPECTED).map(([route, permission]) => `${route} ${permission}`);
  expect([...new Set(asked)].sort()).toEqual(expected.sort());
});

it.each([undefined, '', 'api:block:raed', 'block:read'])('%p is none: the start fails', (permission) => {
  const route = { method: 'GET', path: '/blocks', permission: permission as never } as const;
  expect(() => authorizerOf(route)).toThrow(`GET /blocks: expected a permission, got ${permission}`);
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
      const permission = route.permission;
      const named = route.permission === 'any' ? route.path.replace(':chain_gid', 'eip155%3A1') : route.path;
      const path = `/v1${named.replace(/:\w+/g, 'x')}${route.path === '/search' ? '?q=x' : ''}`;
      const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'put' | 'delete';
      const type = permission === 'any' ? 'api' : keyTypeOf(permission);
      const without = await world.send(
        method,
        path,
        await insertKey(
          type,
          permissionsOf(type, families).filter((one) => one !== permission),
        ),
      );
      if (permission === 'any')
        expect(Object.keys(route.schemas.responses)).toEqual([String(without.status)]);
      else
        expect([without.status, without.body.detail]).toEqual([
          403,
          `The API key does not have the permission ${permission}.`,
        ]);
      const exact = await world.send(
        // Without waiting for the end of a stream, which has none.
        route.mediaType === 'text/event-stream' ? 'head' : method,
        path,
        await insertKey(type, permission === 'any' ? [] : [permission]),
      );
      expect(exact.status).not.toBe(403);
    },
  );

  it.each(routeTable.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s lets in keys of its own type only, whatever they hold',
    async (_name, route) => {
      const permission = route.permission;
      if (permission === 'any') return;
      const type = keyTypeOf(permission);
      const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
      for (const other of (['api', 'rpc', 'mgt'] as const).filter((one) => one !== type)) {
        const { body } = await world
          .send(
            method,
            `/v1${route.path.replace(/:\w+/g, 'x')}`,
            await insertKey(other, [...permissionsOf(other, families), permission]),
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
    .filter((route) => route.permission === 'api:blockchain:write')
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
