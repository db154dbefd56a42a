// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

export const workspaceSchema = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Of the workspace.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
    name: z.string().meta({ description: 'As its user calls it.', examples: ['Acme'] }),
    is_operator: z.boolean().meta({
      description:
        'Whether it acts for the installation: its keys alone may change chains, their nodes and their activation.',
    }),
    created_at: createdAtSchema,
    updated_at: updatedAtSchema,
  })
  .meta({ id: 'Workspace' });

export function toWorkspaceRecord(row: Prisma.WorkspaceGetPayload<object>): z.infer<typeof workspaceSchema> {
  return {
    id: row.id,
    name: row.name,
    is_operator: row.isOperator,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
