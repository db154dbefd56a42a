// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findEvent } from '../../events/find-event.ts';
import { eventSchema, toEventRecord } from '../../records/event.ts';
import { defineRoute } from '../../define-route.ts';

export const getEvent = defineRoute({
  method: 'GET',
  path: '/events/:event_id',
  permission: 'api:event:read',
  isForPortals: true,
  summary: 'One event, as it was sent',
  params: z.object({ event_id: z.uuid() }),
  responses: { 200: eventSchema },
  handle: async ({ params, principal }, { db }) => ({
    status: 200,
    body: toEventRecord(await findEvent(db, principal, params.event_id)),
  }),
});
