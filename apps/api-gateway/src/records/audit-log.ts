import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const auditActionSchema = z.enum([
  'workspace.updated',
  'project.created',
  'project.updated',
  'project.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'key.created',
  'key.rolled',
  'key.revoked',
]);
export type AuditAction = z.infer<typeof auditActionSchema>;

export const targetTypeSchema = z.enum(['workspace', 'project', 'member', 'key']);

export const auditLogSchema = z.object({
  id: z.uuid(),
  action: auditActionSchema,
  /** The management key that asked, as it was named then. */
  actor: z.object({ key_id: z.uuid(), name: z.string(), mask: z.string() }),
  target: z.object({ type: targetTypeSchema, id: z.uuid() }),
  /** By member of the record; null for what was not there before, or is not there after. */
  changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
  /** X-Request-Id of the request. */
  request_id: z.string(),
  created_at: z.iso.datetime(),
});

export function toAuditLogRecord(row: Prisma.AuditLogGetPayload<object>): z.infer<typeof auditLogSchema> {
  return {
    id: row.id,
    action: auditActionSchema.parse(row.action),
    actor: { key_id: row.actorKeyId, name: row.actorName, mask: row.actorMask },
    target: { type: targetTypeSchema.parse(row.targetType), id: row.targetId },
    changes: auditLogSchema.shape.changes.parse(row.changes),
    request_id: row.requestId,
    created_at: row.createdAt.toISOString(),
  };
}
