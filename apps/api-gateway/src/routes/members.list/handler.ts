// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { memberSchema, roleSchema, toMemberRecord } from '../../records/member.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const ORDERS = {
  created_at: { name: 'created_at', type: 'timestamptz' },
  email: { name: 'email', type: 'text' },
  role: { name: 'role', type: 'text' },
} as const;

export const listMembers = defineRoute({
  method: 'GET',
  path: '/management/members',
  permission: 'mgt:member:read',
  reads: 'standby',
  summary: 'Members of the workspace',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'email', 'role'], '-created_at'),
    roles: listParameter(roleSchema).meta({ description: 'Only members with one of these roles.' }),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(memberSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'members',
      id: 'id',
      wanted: { workspace_id: [principal.workspaceId], role: query.roles },
      matches: (add: AddValue) =>
        query.search === undefined ? [] : [containsIn(['email'], add, query.search)],
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.member.findMany({ where: { id: { in: ids } } })).map(toMemberRecord);
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'members', query }, list, read }),
    };
  },
});
