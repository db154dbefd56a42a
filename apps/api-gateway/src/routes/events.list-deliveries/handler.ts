// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { findEvent } from '../../events/find-event.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList, type List } from '../../lists/read-list.ts';
import { deliverySchema, toDeliveryRecord } from '../../records/delivery.ts';
import { defineRoute } from '../../define-route.ts';

export const listEventDeliveries = defineRoute({
  method: 'GET',
  path: '/events/:event_id/deliveries',
  permission: 'api:delivery:read',
  reads: 'standby',
  summary: 'Deliveries of an event through all channels',
  params: z.object({ event_id: z.uuid() }),
  query: z.strictObject({ ...pageParameters, sort_by: sortParameter(['created_at'], 'created_at') }),
  responses: { 200: pageSchema(deliverySchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { event_id } = await findEvent(deps.db, principal, params.event_id);
    const list: List = {
      from: 'deliveries',
      id: 'id',
      wanted: { event_id: [event_id] },
      // The index of a channel's events answers: a project has few channels.
      matches: (add) => [
        `channel_id = ANY (ARRAY (SELECT id FROM notification_channels WHERE project_id = ${add(principal.projectId)}))`,
      ],
      order: toListOrder(query.sort_by, { created_at: { name: 'created_at', type: 'timestamptz' } }, [
        { name: 'id', type: 'uuid' },
      ]),
    };
    const read = async (ids: string[]) =>
      inOrder(ids, await deps.prisma.delivery.findMany({ where: { id: { in: ids } } })).map(toDeliveryRecord);
    const name = `event_deliveries ${event_id}`;
    return { status: 200, body: await readList(deps, { call: { principal, name, query }, list, read }) };
  },
});
