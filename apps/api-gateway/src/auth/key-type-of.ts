// SPDX-License-Identifier: Apache-2.0
import type { ApiKeyType, Permission } from '@chainwatch/common/api-key';

/** The type of key that can have a permission: the permission's first word. */
export function keyTypeOf(permission: Permission): ApiKeyType {
  return permission.slice(0, permission.indexOf(':')) as ApiKeyType;
}
