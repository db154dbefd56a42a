import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const workspaceSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Whether it acts for the installation: its keys alone may change chains, their nodes and their activation. */
  is_operator: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export function toWorkspaceRecord(row: Prisma.WorkspaceGetPayload<object>): z.infer<typeof workspaceSchema> {
  return { id: row.id, name: row.name, is_operator: row.isOperator, created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() };
}
