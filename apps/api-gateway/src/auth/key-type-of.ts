import type { ApiKeyType, Permission } from '@chainwatch/api-key';

/** The type of key that can carry a permission: its first word. */
export function keyTypeOf(permission: Permission): ApiKeyType {
  return permission.slice(0, permission.indexOf(':')) as ApiKeyType;
}
