import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import { keySchema, keyStatusSchema, keyTypeSchema, toKeyRecord } from '../../records/key.ts';
import { toOrders } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';

const COLUMNS = { created_at: 'createdAt', name: 'name', type: 'type' } as const;

export const listKeys = defineRoute({
  method: 'GET',
  path: '/management/keys',
  permission: 'mgt:key:read',
  summary: 'Keys of the workspace and its projects, revoked ones included',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'name', 'type'], '-created_at'),
    types: listParameter(keyTypeSchema),
    project_ids: listParameter(z.uuid()).meta({
      description: 'Only keys of these projects.',
      examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
    }),
    statuses: listParameter(keyStatusSchema),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(keySchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const now = new Date();
    const matches = query.search === undefined ? undefined : containsText(query.search);
    const where: Prisma.ApiKeyWhereInput = {
      workspaceId: principal.workspaceId,
      type: query.types && { in: query.types },
      projectId: query.project_ids && { in: query.project_ids },
      AND: [
        { OR: matches && [{ name: matches }, { mask: matches }] },
        { OR: query.statuses?.map((status) => hasStatus(status, now)) },
      ],
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['id']);
    const [rows, total] = await Promise.all([
      prisma.apiKey.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.apiKey.count({ where }),
    ]);
    return {
      status: 200,
      body: toPage(
        rows.map((row) => toKeyRecord(row, now)),
        total,
        query,
      ),
    };
  },
});

function hasStatus(status: z.infer<typeof keyStatusSchema>, now: Date): Prisma.ApiKeyWhereInput {
  if (status === 'revoked') return { revokedAt: { not: null } };
  if (status === 'expired') return { revokedAt: null, expiresAt: { lte: now } };
  return { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}
