import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { confirmationPolicySchema, toPolicyRecord } from '../../records/confirmation-policy.ts';
import { toOrders } from '../../records/order.ts';
import { defineRoute } from '../../server/define-route.ts';

const COLUMNS = { chain_gid: 'chainGid', created_at: 'createdAt' } as const;

export const listConfirmationPolicies = defineRoute({
  method: 'GET',
  path: '/confirmation_policies',
  permission: 'api:confirmation_policy:read',
  summary: 'Confirmation policies of the project; other chains follow their own rule',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['chain_gid', 'created_at'], 'chain_gid'),
    chain_gids: listParameter(chainGidSchema),
  }),
  responses: { 200: pageSchema(confirmationPolicySchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const where = {
      projectId: principal.projectId,
      chainGid: query.chain_gids && { in: query.chain_gids.map(normalizeChainGid) },
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['chainGid']);
    const [rows, total] = await Promise.all([
      prisma.confirmationPolicy.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.confirmationPolicy.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toPolicyRecord), total, query) };
  },
});
