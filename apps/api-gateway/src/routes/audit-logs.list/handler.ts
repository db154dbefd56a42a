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

const columns = { created_at: 'createdAt' } as const;

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['created_at'], '-created_at'),
  actions: listParameter(auditActionSchema),
  target_types: listParameter(targetTypeSchema),
  target_ids: listParameter(z.uuid()),
  actor_key_ids: listParameter(z.uuid()),
  request_id: z.string().min(1).max(128).optional(),
  since: madeAtSchema.optional(),
  until: madeUntilSchema.optional(),
  search: searchSchema,
});

export const listAuditLogs = defineRoute({
  method: 'GET',
  path: '/management/audit_logs',
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
    const orderBy = toOrders(query.sort_by, columns, ['id']);
    // The ids alone come from an index, whatever number of rows is passed over.
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
