import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const roleSchema = z.enum(['owner', 'admin', 'developer', 'viewer']);

/** One person, one member: the case of an email address does not tell people apart. */
export const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email());

export const memberSchema = z.object({
  id: z.uuid(),
  email: z.string(),
  role: roleSchema,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** A path parameter. */
export const memberParams = z.object({ member_id: z.uuid() });

export function toMemberRecord(row: Prisma.MemberGetPayload<object>): z.infer<typeof memberSchema> {
  return {
    id: row.id,
    email: row.email,
    role: roleSchema.parse(row.role),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
