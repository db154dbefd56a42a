import { z } from 'zod';
import { API_KEY_TYPES, PERMISSIONS } from '@chainwatch/api-key';
import type { Prisma } from '@chainwatch/db/prisma';

export const keyTypeSchema = z.enum(API_KEY_TYPES);
export const keyStatusSchema = z.enum(['active', 'expired', 'revoked']);
export const permissionSchema = z.enum([...PERMISSIONS.api, ...PERMISSIONS.rpc, ...PERMISSIONS.mgt]);

export const keySchema = z.object({
  id: z.uuid(),
  type: keyTypeSchema,
  name: z.string(),
  /** `svc_api_****bPlI` */
  mask: z.string(),
  /** Of an api key; null for keys of the workspace. */
  project_id: z.uuid().nullable(),
  permissions: z.array(permissionSchema),
  status: keyStatusSchema,
  /** Null: it does not expire. */
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  /** To the minute. */
  last_used_at: z.iso.datetime().nullable(),
  /** The key that a roll put in its place. */
  replaced_by: z.uuid().nullable(),
  created_at: z.iso.datetime(),
});

/** The answer that shows the key itself: once, it is stored nowhere. */
export const createdKeySchema = keySchema.extend({ key: z.string() });

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
