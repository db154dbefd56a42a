// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';

export const auditActionSchema = z.enum([
  'workspace.updated',
  'workspace.quotas_updated',
  'workspace.endpoint_updated',
  'workspace.network_set',
  'workspace.network_deleted',
  'project.created',
  'project.updated',
  'project.deleted',
  'project.addresses_imported',
  'member.created',
  'member.updated',
  'member.deleted',
  'key.created',
  'key.rolled',
  'key.revoked',
  'address.derived',
  'address.deleted',
  'public_key.deleted',
  'channel.deleted',
  'channel.moved',
  'channel.secret_rotated',
  'channel.secret_overlap_ended',
  'portal_session.created',
  'portal_session.deleted',
  'statement.created',
  'statement.deleted',
  'incident.accepted',
  'reprocess.requested',
  'reset.requested',
  'skip.requested',
  'token.refreshed',
  'token.corrected',
  'reconciliation.created',
  'reconciliation.deleted',
]);
export type AuditAction = z.infer<typeof auditActionSchema>;

export const targetTypeSchema = z.enum([
  'workspace',
  'project',
  'member',
  'key',
  'address',
  'public_key',
  'channel',
  'portal_session',
  'statement',
  'incident',
  'reprocess',
  'skip',
  'reset',
  'token',
  'reconciliation',
]);

export const auditLogSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the entry.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    action: auditActionSchema.meta({ description: 'What was done.' }),
    actor: z
      .object({
        key_id: z
          .uuid()
          .nullable()
          .meta({
            description: 'Of the key. Null where a member signed in, or a service did it on its own.',
            examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
          }),
        member_id: z
          .uuid()
          .nullable()
          .meta({ description: 'Of the member who signed in. Null where a key asked.', examples: [null] }),
        name: z.string().meta({
          description:
            'Of the key at that time, the e-mail address of the member, or the name of the service.',
          examples: ['Backend'],
        }),
        mask: z
          .string()
          .nullable()
          .meta({ description: 'The key without its secret part.', examples: ['svc_mgt_****bPlI'] }),
      })
      .meta({ description: 'The key that asked, the member who signed in, or the service.' }),
    target: z
      .object({
        type: targetTypeSchema.meta({ description: 'What kind of thing it is.' }),
        id: z.uuid().meta({
          description:
            'Of the thing. A token has none of its own: it is made of its gid, which `changes` have.',
          examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
        }),
      })
      .meta({ description: 'What was changed.' }),
    changes: z
      .record(
        z.string(),
        z.object({
          from: z.unknown().meta({ description: 'What it was.', examples: ['Shop'] }),
          to: z.unknown().meta({ description: 'What it became.', examples: ['Store'] }),
        }),
      )
      .meta({
        description: 'By member of the record; null for what was not there before, or is not there after.',
        examples: [{ name: { from: 'Shop', to: 'Store' } }],
      }),
    request_id: z.string().meta({
      description: '`X-Request-Id` of the request. Empty where a service did it on its own.',
      examples: ['8d7f5a52-1f34-4d0c-9f5e-0e5b1a1d2c3b'],
    }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was done.', examples: ['2026-01-01T00:00:00.000Z'] }),
  })
  .meta({ id: 'AuditLog' });

export function toAuditLogRecord(row: Prisma.AuditLogGetPayload<object>): z.infer<typeof auditLogSchema> {
  return {
    id: row.id,
    action: auditActionSchema.parse(row.action),
    actor:
      row.actorType === 'member' || row.actorType === 'service'
        ? {
            key_id: null,
            member_id: row.actorType === 'member' ? row.actorKeyId : null,
            name: row.actorName,
            mask: null,
          }
        : { key_id: row.actorKeyId, member_id: null, name: row.actorName, mask: row.actorMask },
    target: { type: targetTypeSchema.parse(row.targetType), id: row.targetId },
    changes: auditLogSchema.shape.changes.parse(row.changes),
    request_id: row.requestId,
    created_at: row.createdAt.toISOString(),
  };
}
