import { z } from 'zod';
import { notFound } from '@chainwatch/problem';
import { defineRoute } from '../../server/define-route.ts';
import { eventHorizon, eventSchema, toEventRecord } from '../../records/event.ts';

export const getEvent = defineRoute({
  method: 'GET',
  path: '/events/:event_id',
  permission: 'api:event:read',
  summary: 'One event, as it was sent',
  params: z.object({ event_id: z.uuid() }),
  responses: { 200: eventSchema },
  handle: async ({ params, principal }, { prisma }) => {
    const row = await prisma.event.findFirst({
      where: {
        eventId: params.event_id,
        projectId: principal.projectId,
        isHeld: false,
        createdAt: { gte: eventHorizon() },
      },
    });
    if (!row)
      throw notFound(
        `There is no event ${params.event_id} in this project, or it is older than the events that are kept.`,
      );
    return { status: 200, body: toEventRecord(row) };
  },
});
