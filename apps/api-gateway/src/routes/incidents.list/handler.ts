import { z } from 'zod';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { incidentSchema, incidentStatusSchema, toIncidentRecord } from '../../records/incident.ts';
import { toOrders } from '../../records/order.ts';
import { chainParams } from '../../records/path-schemas.ts';

export const listIncidents = defineRoute({
  method: 'GET',
  path: '/blockchains/:chain_gid/incidents',
  permission: 'api:blockchain:read',
  summary: 'What this release does not know in the blocks of a chain',
  params: chainParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at'], '-created_at'),
    statuses: listParameter(incidentStatusSchema),
  }),
  responses: { 200: pageSchema(incidentSchema) },
  handle: async ({ params, query }, deps) => {
    const { gid } = await findChain(deps, params.chain_gid);
    const where: Prisma.IncidentWhereInput = {
      chainGid: gid,
      status: query.statuses && { in: query.statuses },
    };
    const orderBy = toOrders(query.sort_by, { created_at: 'createdAt' }, ['id']);
    const [rows, total] = await Promise.all([
      deps.prisma.incident.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      deps.prisma.incident.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toIncidentRecord), total, query) };
  },
});
