import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const workspaceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export function toWorkspaceRecord(row: Prisma.WorkspaceGetPayload<object>): z.infer<typeof workspaceSchema> {
  return { id: row.id, name: row.name, created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() };
}
