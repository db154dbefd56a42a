// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { isOperatorPermission, permissionsOf, type Permission } from '@chainwatch/common/api-key';
import { roleSchema } from '../records/member.ts';

type Role = z.infer<typeof roleSchema>;

const isSecret = (permission: Permission): boolean => permission.startsWith('api:webhook_secret:');
const isRead = (permission: Permission): boolean => permission.endsWith(':read');

/**
 * What members may do, in the workspace and on its projects. A developer changes nothing in the workspace: deleting a
 * project, for one, revokes its keys.
 */
const MAY: Readonly<Record<Role, (permission: Permission) => boolean>> = {
  owner: () => true,
  admin: () => true,
  developer: (permission) => !isSecret(permission) && (permission.startsWith('api:') || isRead(permission)),
  viewer: (permission) => !isSecret(permission) && isRead(permission),
};

/** @param type `mgt`: in the workspace; `api`: on its projects. @throws ZodError for a role that there is not */
export function permissionsOfRole(
  role: string,
  type: 'api' | 'mgt',
  { isOperator }: { readonly isOperator: boolean },
): readonly Permission[] {
  const may = MAY[roleSchema.parse(role)];
  return permissionsOf(type, []).filter(
    (permission) => may(permission) && (isOperator || !isOperatorPermission(permission)),
  );
}
