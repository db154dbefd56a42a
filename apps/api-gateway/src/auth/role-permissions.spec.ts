// SPDX-License-Identifier: Apache-2.0
import { PERMISSIONS, permissionsOf } from '@chainwatch/common/api-key';
import { permissionsOfRole } from './role-permissions.ts';

const OWNERS = ['owner', 'admin'];
const WRITERS = ['owner', 'admin', 'developer'];
const ALL = ['owner', 'admin', 'developer', 'viewer'];

/** Typed a second time on purpose: who gets a new permission is decided here, or the spec fails. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'api:blockchain:read': ALL,
  'api:blockchain:write': WRITERS,
  'api:asset:read': ALL,
  'api:asset:write': WRITERS,
  'api:token:read': ALL,
  'api:token:write': WRITERS,
  'api:public_key:read': ALL,
  'api:public_key:write': WRITERS,
  'api:address:read': ALL,
  'api:address:write': WRITERS,
  'api:notification_channel:read': ALL,
  'api:notification_channel:write': WRITERS,
  'api:confirmation_policy:read': ALL,
  'api:confirmation_policy:write': WRITERS,
  'api:block:read': ALL,
  'api:transaction:read': ALL,
  'api:statement:read': ALL,
  'api:statement:write': WRITERS,
  'api:event:read': ALL,
  'api:delivery:read': ALL,
  'api:delivery:replay': WRITERS,
  'api:webhook_secret:read': OWNERS,
  'api:webhook_secret:rotate': OWNERS,
  'api:reconciliation:read': ALL,
  'api:reconciliation:write': WRITERS,
  'mgt:workspace:read': ALL,
  'mgt:workspace:write': OWNERS,
  'mgt:project:read': ALL,
  'mgt:project:write': OWNERS,
  'mgt:member:read': ALL,
  'mgt:member:write': OWNERS,
  'mgt:key:read': ALL,
  'mgt:key:write': OWNERS,
  'mgt:audit:read': ALL,
  'mgt:quota:read': ALL,
  'mgt:quota:write': OWNERS,
};
/** Of the operator's workspace alone. */
const OPERATORS = ['api:blockchain:write', 'mgt:quota:read', 'mgt:quota:write'];

const both = (role: string, isOperator: boolean): readonly string[] => [
  ...permissionsOfRole(role, 'api', { isOperator }),
  ...permissionsOfRole(role, 'mgt', { isOperator }),
];

it('names every permission that there is', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual([...PERMISSIONS.api, ...PERMISSIONS.mgt].sort());
});

it.each(ALL)('%s may what the table says, and what is for operators in their workspace alone', (role) => {
  const wanted = Object.entries(EXPECTED).flatMap(([name, roles]) => (roles.includes(role) ? [name] : []));
  expect([...both(role, true)].sort()).toEqual(wanted.sort());
  expect([...both(role, false)].sort()).toEqual(wanted.filter((name) => !OPERATORS.includes(name)).sort());
});

it('no role has more than a key of its type could have, and none is made up', () => {
  for (const type of ['api', 'mgt'] as const)
    expect(permissionsOf(type)).toEqual(
      expect.arrayContaining([...permissionsOfRole('owner', type, { isOperator: true })]),
    );
  for (const role of ['', 'Owner', 'constructor', '__proto__'])
    expect(() => permissionsOfRole(role, 'api', { isOperator: true })).toThrow();
});
