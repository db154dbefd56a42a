import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import type { ApiDeps } from '../../api-deps.ts';
import { containsText } from '../../contains-text.ts';
import { defineRoute } from '../../define-route.ts';
import { countOnScale } from '../../lists/count-on-scale.ts';
import { auditLogHours } from '../../lists/scales.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
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
type AuditLogQuery = z.infer<typeof querySchema>;

export const listAuditLogs = defineRoute({
  method: 'GET',
  path: '/management/audit_logs',
  summary: 'Who changed what in the workspace',
  query: querySchema,
  responses: { 200: pageSchema(auditLogSchema) },
  handle: async ({ query, principal }, { prisma, db }) => {
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
    const total = await countAuditLogs({ prisma, db }, where, principal.workspaceId, query);
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

/** From kept totals where they are kept by what is asked for; by the other columns few are found. */
async function countAuditLogs(
  { prisma, db }: Pick<ApiDeps, 'prisma' | 'db'>,
  where: Prisma.AuditLogWhereInput,
  workspaceId: string,
  query: AuditLogQuery,
): Promise<number> {
  const { actions, target_types, target_ids, actor_key_ids, request_id, since, until, search } = query;
  if ([target_ids, request_id, search].some((filter) => filter !== undefined))
    return prisma.auditLog.count({ where });
  if (since === undefined && until === undefined)
    return sumCounts(db, { scope: workspaceId, list: 'audit_logs' }, [actions, target_types, actor_key_ids]);
  if ([actions, target_types, actor_key_ids].every((filter) => filter === undefined))
    return countOnScale(db, auditLogHours, workspaceId, { from: since, to: until });
  return prisma.auditLog.count({ where });
}
