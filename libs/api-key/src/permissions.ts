import type { ApiKeyType } from './api-key.ts';

/** Every permission by the type of key that can carry it (decisions.md §7). */
export const PERMISSIONS = {
  api: [
    'api:blockchain:read',
    'api:blockchain:write',
    'api:asset:read',
    'api:asset:write',
    'api:token:read',
    'api:token:write',
    'api:public_key:read',
    'api:public_key:write',
    'api:address:read',
    'api:address:write',
    'api:notification_channel:read',
    'api:notification_channel:write',
    'api:block:read',
    'api:transaction:read',
    'api:event:read',
    'api:delivery:read',
    'api:delivery:replay',
    'api:webhook_secret:read',
    'api:webhook_secret:rotate',
  ],
  rpc: [
    'rpc:evm:read',
    'rpc:evm:send',
    'rpc:bitcoin:read',
    'rpc:bitcoin:send',
    'rpc:solana:read',
    'rpc:solana:send',
    'rpc:tron:read',
    'rpc:tron:send',
  ],
  mgt: [
    'mgt:workspace:read',
    'mgt:workspace:write',
    'mgt:project:read',
    'mgt:project:write',
    'mgt:member:read',
    'mgt:member:write',
    'mgt:key:read',
    'mgt:key:write',
    'mgt:audit:read',
  ],
} as const satisfies Record<ApiKeyType, readonly `${ApiKeyType}:${string}:${string}`[]>;

export type Permission = (typeof PERMISSIONS)[ApiKeyType][number];
export type PermissionOf<T extends ApiKeyType> = (typeof PERMISSIONS)[T][number];

/** All that a key of a type can carry. */
export function permissionsOf<T extends ApiKeyType>(type: T): (typeof PERMISSIONS)[T] {
  return PERMISSIONS[type];
}

/** What concerns the whole installation: it counts for keys of the operator's workspace only (decisions.md §10). */
const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>(['api:blockchain:write']);

export function isOperatorPermission(permission: Permission): boolean {
  return OPERATOR_PERMISSIONS.has(permission);
}

const ALL: ReadonlySet<string> = new Set(Object.values(PERMISSIONS).flat());

export function isPermission(value: unknown): value is Permission {
  return typeof value === 'string' && ALL.has(value);
}

/** Exact: there are no wildcards, and `write` does not include `read`. */
export function hasPermission(granted: readonly string[], needed: Permission): boolean {
  return granted.includes(needed);
}
