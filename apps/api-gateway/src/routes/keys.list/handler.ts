// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { keySchema, keyStatusSchema, keyTypeSchema, toKeyRecord } from '../../records/key.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const ORDERS = {
  created_at: { name: 'created_at', type: 'timestamptz' },
  name: { name: 'name', type: 'text' },
  type: { name: 'type', type: 'text' },
} as const;

export const listKeys = defineRoute({
  method: 'GET',
  path: '/management/keys',
  permission: 'mgt:key:read',
  reads: 'standby',
  summary: 'Keys of the workspace and its projects, revoked ones included',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'name', 'type'], '-created_at'),
    types: listParameter(keyTypeSchema),
    project_ids: listParameter(z.uuid()).meta({
      description: 'Only keys of these projects.',
      examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
    }),
    statuses: listParameter(keyStatusSchema),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(keySchema) },
  handle: async ({ query, principal }, deps) => {
    const now = new Date();
    const list = {
      from: 'api_keys',
      id: 'id',
      wanted: {
        workspace_id: [principal.workspaceId],
        type: query.types,
        project_id: query.project_ids,
      },
      matches: (add: AddValue) => [
        ...(query.search === undefined ? [] : [containsIn(['name', 'mask'], add, query.search)]),
        ...(query.statuses === undefined ? [] : [hasStatus(query.statuses, () => add(now))]),
      ],
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.apiKey.findMany({ where: { id: { in: ids } } })).map((row) =>
        toKeyRecord(row, now),
      );
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'keys', query }, list, read }),
    };
  },
});

function hasStatus(statuses: readonly z.infer<typeof keyStatusSchema>[], now: () => string): string {
  // A parameter that no condition uses is refused by the server.
  const conditions = {
    revoked: () => 'revoked_at IS NOT NULL',
    expired: () => `revoked_at IS NULL AND expires_at <= ${now()}`,
    active: () => `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now()})`,
  };
  return `(${statuses.map((status) => `(${conditions[status]()})`).join(' OR ')})`;
}
