import { hasPermission } from '@chainwatch/api-key';
import type { Permission } from '@chainwatch/api-key';
import type { Principal } from '@chainwatch/key-store';
import { forbidden } from '@chainwatch/problem';
import { keyTypeOf } from '../permissions.ts';

/**
 * A management key hands out management permissions that it holds, and no other: it cannot make a key that may more than
 * itself. Permissions of api and rpc keys need `mgt:key:write`, which the route asks for.
 *
 * @throws ProblemError 403
 */
export function checkGrants({ permissions: held }: Principal, granted: readonly Permission[]): void {
  const missing = granted.filter((permission) => keyTypeOf(permission) === 'mgt' && !hasPermission(held, permission));
  if (missing.length > 0) throw forbidden(`A management key grants what it holds itself; this one does not hold ${missing.join(', ')}.`);
}
