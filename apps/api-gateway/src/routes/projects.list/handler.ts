import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import { toOrders } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';
import { projectSchema, toProjectRecord } from '../../records/project.ts';

const COLUMNS = { created_at: 'createdAt', updated_at: 'updatedAt', name: 'name' } as const;

export const listProjects = defineRoute({
  method: 'GET',
  path: '/management/projects',
  permission: 'mgt:project:read',
  summary: 'Projects of the workspace',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'updated_at', 'name'], '-created_at'),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(projectSchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const where: Prisma.ProjectWhereInput = {
      workspaceId: principal.workspaceId,
      name: query.search === undefined ? undefined : containsText(query.search),
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['id']);
    const [rows, total] = await Promise.all([
      prisma.project.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.project.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toProjectRecord), total, query) };
  },
});
