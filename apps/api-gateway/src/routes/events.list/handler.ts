import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/caip';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { Prisma } from '@chainwatch/db/prisma';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../define-route.ts';
import { eventHorizon, eventSchema, toEventRecord } from '../../records/event.ts';
import { eventTypeSchema } from '../../records/event-selection.ts';
import { madeAtSchema } from '../../records/path-schemas.ts';

export const listEvents = defineRoute({
  method: 'GET',
  path: '/events',
  summary: 'Events of the project, as they were sent; kept for 30 days',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at'], '-created_at'),
    types: listParameter(eventTypeSchema),
    chain_gids: listParameter(chainGidSchema),
    transaction_id: z.uuid().optional(),
    since: madeAtSchema.optional(),
    until: madeAtSchema.optional(),
  }),
  responses: { 200: pageSchema(eventSchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const horizon = eventHorizon();
    const where: Prisma.EventWhereInput = {
      projectId: principal.projectId,
      isHeld: false,
      type: query.types && { in: query.types },
      chainGid: query.chain_gids && { in: query.chain_gids.map(normalizeChainGid) },
      transactionId: query.transaction_id,
      createdAt: { gte: query.since !== undefined && query.since > horizon ? query.since : horizon, lte: query.until },
    };
    const [rows, total] = await Promise.all([
      // Ids grow with time, and are indexed by project.
      prisma.event.findMany({ where, orderBy: { id: query.sort_by === 'created_at' ? 'asc' : 'desc' }, skip: offsetOf(query), take: query.limit }),
      prisma.event.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toEventRecord), total, query) };
  },
});
