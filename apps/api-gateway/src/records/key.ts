// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { API_KEY_TYPES, permissionsOf } from '@chainwatch/common/api-key';
import type { Prisma } from '@chainwatch/data/prisma';
import { families } from './path-schemas.ts';
import { createdAtSchema } from './recorded-times.ts';

export const keyTypeSchema = z.enum(API_KEY_TYPES);
export const keyStatusSchema = z.enum(['active', 'expired', 'revoked']);
export const permissionSchema = z.enum(API_KEY_TYPES.flatMap((type) => permissionsOf(type, families)));

export const keySchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the key.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    type: keyTypeSchema.meta({
      description:
        '`api`: the platform API of one project; `rpc`: the RPC gateway; `mgt`: the management interface.',
    }),
    name: z.string().meta({ description: 'As its user calls it.', examples: ['Backend'] }),
    mask: z
      .string()
      .meta({ description: 'The key without its secret part.', examples: ['svc_api_****bPlI'] }),
    project_id: z
      .uuid()
      .nullable()
      .meta({
        description: 'The project of an api key. Null for keys of the workspace.',
        examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
      }),
    permissions: z
      .array(permissionSchema)
      .meta({ description: 'What it may do; fixed when it is made.', examples: [['api:address:read']] }),
    status: keyStatusSchema.meta({ description: '`expired` and `revoked` keys are refused.' }),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it ends. Null: never.', examples: [null] }),
    revoked_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was revoked. Null otherwise.', examples: [null] }),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'To the minute. Null while it was not used.',
        examples: ['2026-01-01T00:00:00.000Z'],
      }),
    replaced_by: z
      .uuid()
      .nullable()
      .meta({ description: 'The key that a roll put in its place. Null otherwise.', examples: [null] }),
    created_at: createdAtSchema,
  })
  .meta({ id: 'Key' });

/** The only answer that shows the key itself, which is stored nowhere. */
export const createdKeySchema = keySchema
  .extend({
    key: z.string().meta({
      description: 'The key itself. Shown this once.',
      examples: ['svc_api_0123456789ABCDEFGHIJKLMN2YbPlI'],
    }),
  })
  .meta({ id: 'CreatedKey' });

/** A path parameter. */
export const keyParams = z.object({ key_id: z.uuid() });

export type KeyRow = Prisma.ApiKeyGetPayload<object>;

export function toKeyRecord(row: KeyRow, now = new Date()): z.infer<typeof keySchema> {
  return {
    id: row.id,
    type: keyTypeSchema.parse(row.type),
    name: row.name,
    mask: row.mask,
    project_id: row.projectId,
    permissions: z.array(permissionSchema).parse(row.permissions),
    status: findStatus(row, now),
    expires_at: row.expiresAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    replaced_by: row.replacedBy,
    created_at: row.createdAt.toISOString(),
  };
}

function findStatus({ revokedAt, expiresAt }: KeyRow, now: Date): z.infer<typeof keyStatusSchema> {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
