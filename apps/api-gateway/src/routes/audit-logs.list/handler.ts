// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { listParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import {
  auditActionSchema,
  auditLogSchema,
  targetTypeSchema,
  toAuditLogRecord,
} from '../../records/audit-log.ts';
import { madeAtSchema, madeUntilSchema, searchSchema } from '../../records/path-schemas.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['created_at'], '-created_at'),
  actions: listParameter(auditActionSchema).meta({ description: 'Only entries of these actions.' }),
  target_types: listParameter(targetTypeSchema).meta({
    description: 'Only changes of things of these kinds.',
  }),
  target_ids: listParameter(z.uuid()).meta({
    description: 'Only changes of these things.',
    examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
  }),
  actor_key_ids: listParameter(z.uuid()).meta({
    description: 'Only what these keys, or members by their `id`, did.',
    examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
  }),
  request_id: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({
      description: 'Only what the request with that `X-Request-Id` did.',
      examples: ['8d7f5a52-1f34-4d0c-9f5e-0e5b1a1d2c3b'],
    }),
  since: madeAtSchema.optional(),
  until: madeUntilSchema.optional(),
  search: searchSchema,
});

export const listAuditLogs = defineRoute({
  method: 'GET',
  path: '/management/audit_logs',
  permission: 'mgt:audit:read',
  reads: 'standby',
  summary: 'Who changed what in the workspace',
  query: querySchema,
  responses: { 200: pageSchema(auditLogSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'audit_logs',
      id: 'id',
      wanted: {
        workspace_id: [principal.workspaceId],
        action: query.actions,
        target_type: query.target_types,
        target_id: query.target_ids,
        actor_key_id: query.actor_key_ids,
        request_id: query.request_id === undefined ? undefined : [query.request_id],
      },
      matches: (add: AddValue) => [
        ...(query.since === undefined ? [] : [`created_at >= ${add(query.since)}`]),
        ...(query.until === undefined ? [] : [`created_at <= ${add(query.until)}`]),
        ...(query.search === undefined ? [] : [containsIn(['actor_name', 'actor_mask'], add, query.search)]),
      ],
      order: toListOrder(query.sort_by, { created_at: { name: 'created_at', type: 'timestamptz' } }, [
        { name: 'id', type: 'uuid' },
      ]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.auditLog.findMany({ where: { id: { in: ids } } })).map(toAuditLogRecord);
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'audit_logs', query }, list, read }),
    };
  },
});
