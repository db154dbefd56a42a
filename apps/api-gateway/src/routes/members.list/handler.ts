import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import { memberSchema, roleSchema, toMemberRecord } from '../../records/member.ts';
import { toOrders } from '../../records/order.ts';
import { searchSchema } from '../../records/path-schemas.ts';

const COLUMNS = { created_at: 'createdAt', email: 'email', role: 'role' } as const;

export const listMembers = defineRoute({
  method: 'GET',
  path: '/management/members',
  permission: 'mgt:member:read',
  summary: 'Members of the workspace',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at', 'email', 'role'], '-created_at'),
    roles: listParameter(roleSchema).meta({ description: 'Only members with one of these roles.' }),
    search: searchSchema,
  }),
  responses: { 200: pageSchema(memberSchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const where: Prisma.MemberWhereInput = {
      workspaceId: principal.workspaceId,
      role: query.roles && { in: query.roles },
      email: query.search === undefined ? undefined : containsText(query.search),
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['id']);
    const [rows, total] = await Promise.all([
      prisma.member.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.member.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toMemberRecord), total, query) };
  },
});
