// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

export const projectSchema = z
  .object({
    id: z.uuid().meta({ description: 'Of the project.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    name: z.string().meta({ description: 'As its user calls it.', examples: ['Shop'] }),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
  })
  .meta({ id: 'Project' });

/** A path parameter. */
export const projectParams = z.object({ project_id: z.uuid() });

export type ProjectRow = Prisma.ProjectGetPayload<object>;

export function toProjectRecord(row: ProjectRow): z.infer<typeof projectSchema> {
  return {
    id: row.id,
    name: row.name,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
