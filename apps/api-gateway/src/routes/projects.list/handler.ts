// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { projectSchema, toProjectRecord } from '../../records/project.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const ORDERS = {
  created_at: { name: 'created_at', type: 'timestamptz' },
  updated_at: { name: 'updated_at', type: 'timestamptz' },
  name: { name: 'name', type: 'text' },
} as const;

export const listProjects = defineRoute({
  method: 'GET',
  path: '/management/projects',
  permission: 'mgt:project:read',
  reads: 'standby',
  summary: 'Projects of the workspace',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'updated_at', 'name'], '-created_at'),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(projectSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'projects',
      id: 'id',
      wanted: { workspace_id: [principal.workspaceId] },
      matches: (add: AddValue) =>
        query.search === undefined ? [] : [containsIn(['name'], add, query.search)],
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.project.findMany({ where: { id: { in: ids } } })).map(toProjectRecord);
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'projects', query }, list, read }),
    };
  },
});
