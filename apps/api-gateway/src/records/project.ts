import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';

export const projectSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** A path parameter. */
export const projectParams = z.object({ project_id: z.uuid() });

export type ProjectRow = Prisma.ProjectGetPayload<object>;

export function toProjectRecord(row: ProjectRow): z.infer<typeof projectSchema> {
  return { id: row.id, name: row.name, created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() };
}
