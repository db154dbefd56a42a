import type { ApiKeyType, Permission } from '@chainwatch/api-key';

/** What a key needs for each route (decisions.md §7); `any` lets every valid key in. */
export const ROUTE_PERMISSIONS = {
  'GET /version': 'any',

  'GET /blockchains': 'api:blockchain:read',
  'POST /blockchains': 'api:blockchain:write',
  'GET /blockchains/:chain_gid': 'api:blockchain:read',
  'POST /blockchains/:chain_gid/actions/activate': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/deactivate': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/reprocess': 'api:blockchain:write',
  'POST /blockchains/:chain_gid/actions/reset': 'api:blockchain:write',
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
  'GET /addresses/:address': 'api:address:read',
  'PATCH /addresses/:address': 'api:address:write',
  'DELETE /addresses/:address': 'api:address:write',
  'GET /addresses/:address/hd': 'api:address:read',
  'GET /addresses/:address/external': 'api:address:read',
  'GET /addresses/:address/balances': 'api:address:read',
  'GET /addresses/:address/balances/details': 'api:address:read',
  'GET /addresses/:address/utxos': 'api:address:read',

  'GET /transactions': 'api:transaction:read',

  'GET /events': 'api:event:read',
  'GET /events/:event_id': 'api:event:read',

  'GET /notification_channels': 'api:notification_channel:read',
  'POST /notification_channels/webhook': 'api:notification_channel:write',
  'POST /channels': 'api:notification_channel:write',
  'PATCH /notification_channels/webhook/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/nats': 'api:notification_channel:write',
  'PATCH /notification_channels/nats/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/telegram': 'api:notification_channel:write',
  'PATCH /notification_channels/telegram/:notification_channel_id': 'api:notification_channel:write',
  'GET /notification_channels/:notification_channel_id': 'api:notification_channel:read',
  'DELETE /notification_channels/:notification_channel_id': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/archive': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/restore': 'api:notification_channel:write',
  'POST /notification_channels/:notification_channel_id/actions/test': 'api:notification_channel:write',
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

  'GET /management/workspace': 'mgt:workspace:read',
  'PATCH /management/workspace': 'mgt:workspace:write',
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
} as const satisfies Record<string, Permission | 'any'>;

/** `/channels` is a second name of `/notification_channels`; a route without a line here is a mistake of ours. */
export function permissionOf(route: { method: string; path: string }): Permission | 'any' {
  const table: Readonly<Record<string, Permission | 'any'>> = ROUTE_PERMISSIONS;
  const permission =
    table[`${route.method} ${route.path}`] ??
    table[
      `${route.method} ${route.path.replace(/^\/channels/, '/notification_channels').replace(':channel_id', ':notification_channel_id')}`
    ];
  if (permission === undefined)
    throw new Error(`${route.method} ${route.path} has no line in ROUTE_PERMISSIONS`);
  return permission;
}

/** The type of key that can carry a permission: its first word. */
export function keyTypeOf(permission: Permission): ApiKeyType {
  return permission.slice(0, permission.indexOf(':')) as ApiKeyType;
}
