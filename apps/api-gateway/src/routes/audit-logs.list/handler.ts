import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import {
  auditActionSchema,
  auditLogSchema,
  targetTypeSchema,
  toAuditLogRecord,
} from '../../records/audit-log.ts';
import { toOrders } from '../../records/order.ts';
import { madeAtSchema, madeUntilSchema, searchSchema } from '../../records/path-schemas.ts';

const COLUMNS = { created_at: 'createdAt' } as const;

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
    description: 'Only what these keys did.',
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
  summary: 'Who changed what in the workspace',
  query: querySchema,
  responses: { 200: pageSchema(auditLogSchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const where: Prisma.AuditLogWhereInput = {
      workspaceId: principal.workspaceId,
      action: query.actions && { in: query.actions },
      targetType: query.target_types && { in: query.target_types },
      targetId: query.target_ids && { in: query.target_ids },
      actorKeyId: query.actor_key_ids && { in: query.actor_key_ids },
      requestId: query.request_id,
      createdAt: { gte: query.since, lte: query.until },
      OR: matches && [{ actorName: matches }, { actorMask: matches }],
    };
    const total = await prisma.auditLog.count({ where });
    const orderBy = toOrders(query.sort_by, COLUMNS, ['id']);
    // Only the ids are read, so an index alone answers however many rows are skipped.
    const ids =
      offsetOf(query) < total
        ? await prisma.auditLog.findMany({
            where,
            orderBy,
            select: { id: true },
            skip: offsetOf(query),
            take: query.limit,
          })
        : [];
    const rows = await prisma.auditLog.findMany({ where: { id: { in: ids.map(({ id }) => id) } }, orderBy });
    return { status: 200, body: toPage(rows.map(toAuditLogRecord), total, query) };
  },
});
