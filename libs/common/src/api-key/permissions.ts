// SPDX-License-Identifier: Apache-2.0
import type { ApiKeyType } from './api-key.ts';

/** Permissions by the type of key that can carry them (decisions.md §7); those of `rpc` keys follow from the chain families. */
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
    'api:confirmation_policy:read',
    'api:confirmation_policy:write',
    'api:block:read',
    'api:transaction:read',
    'api:statement:read',
    'api:statement:write',
    'api:event:read',
    'api:delivery:read',
    'api:delivery:replay',
    'api:webhook_secret:read',
    'api:webhook_secret:rotate',
    'api:reconciliation:read',
    'api:reconciliation:write',
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
    'mgt:quota:read',
    'mgt:quota:write',
  ],
} as const satisfies Partial<Record<ApiKeyType, readonly `${ApiKeyType}:${string}:${string}`[]>>;

type RpcPermission = `rpc:${string}:${'read' | 'send'}`;
const RPC_PERMISSION = /^rpc:[a-z]+:(read|send)$/;

export type Permission = (typeof PERMISSIONS)['api' | 'mgt'][number] | RpcPermission;
export type PermissionOf<T extends ApiKeyType> = Extract<Permission, `${T}:${string}`>;

/** All that a key of a type can carry. @param families names of the chain families there are, for `rpc` keys */
export function permissionsOf<T extends 'api' | 'mgt'>(type: T): readonly PermissionOf<T>[];
export function permissionsOf(type: ApiKeyType, families: readonly string[]): readonly Permission[];
export function permissionsOf(type: ApiKeyType, families: readonly string[] = []): readonly Permission[] {
  if (type !== 'rpc') return PERMISSIONS[type];
  return families.flatMap((family) => [`rpc:${family}:read` as const, `rpc:${family}:send` as const]);
}

/** What concerns the whole installation: it counts for keys of the operator's workspace only (decisions.md §10). */
const OPERATOR_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'api:blockchain:write',
  'mgt:quota:read',
  'mgt:quota:write',
]);

export function isOperatorPermission(permission: Permission): boolean {
  return OPERATOR_PERMISSIONS.has(permission);
}

const ALL: ReadonlySet<string> = new Set(Object.values(PERMISSIONS).flat());

/** Whether there is the family of an `rpc` permission is for the registry to say. */
export function isPermission(value: unknown): value is Permission {
  return typeof value === 'string' && (ALL.has(value) || RPC_PERMISSION.test(value));
}

/** Exact: there are no wildcards, and `write` does not include `read`. */
export function hasPermission(granted: readonly string[], needed: Permission): boolean {
  return granted.includes(needed);
}
