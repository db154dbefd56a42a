// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

export const roleSchema = z.enum(['owner', 'admin', 'developer', 'viewer']);

/** Lower-cased, because addresses that differ only in case belong to the same person. */
export const emailSchema = z.string().trim().toLowerCase().max(254).pipe(z.email());

export const memberSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the member.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    email: z.string().meta({ description: 'Lower case.', examples: ['ada@example.com'] }),
    role: roleSchema.meta({ description: 'What the member is in the workspace.' }),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
  })
  .meta({ id: 'Member' });

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
