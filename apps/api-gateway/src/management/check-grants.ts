// SPDX-License-Identifier: Apache-2.0
import { hasPermission, isOperatorPermission } from '@chainwatch/common/api-key';
import type { Permission } from '@chainwatch/common/api-key';
import type { Principal } from '@chainwatch/data/key-store';
import { forbidden, unprocessableEntity } from '@chainwatch/common/problem';
import { keyTypeOf } from '../auth/key-type-of.ts';
import { permissionsOfRole } from '../auth/role-permissions.ts';

/**
 * A management key can grant only management permissions that it holds, so it cannot make a key with more rights than
 * its own. Permissions of api and rpc keys need `mgt:key:write`, which the route requires.
 *
 * @throws ProblemError 403
 */
export function checkGrants({ permissions: held }: Principal, granted: readonly Permission[]): void {
  const missing = granted.filter(
    (permission) => keyTypeOf(permission) === 'mgt' && !hasPermission(held, permission),
  );
  if (missing.length > 0)
    throw forbidden(
      `A management key can only grant its own permissions. This key lacks ${missing.join(', ')}.`,
    );
}

/**
 * Giving a role grants its permissions to whoever signs in with the member's address. So the caller needs every management
 * permission of the role, and `mgt:key:write` for what the role may do on projects.
 *
 * @throws ProblemError 403
 */
export function checkRole(principal: Principal, role: string): void {
  checkGrants(principal, [...permissionsOfRole(role, 'mgt', principal), 'mgt:key:write']);
}

/**
 * Permissions for the whole installation are granted only to keys of the operator's workspace. A roll may keep one
 * elsewhere: it has no effect there, and a key that cannot be rolled would never be replaced.
 *
 * @throws ProblemError 422
 */
export function checkOperatorGrants({ isOperator }: Principal, granted: readonly Permission[]): void {
  const refused = isOperator ? [] : granted.filter(isOperatorPermission);
  if (refused.length > 0)
    throw unprocessableEntity(`Only keys of the operator's workspace can have ${refused.join(', ')}.`);
}
