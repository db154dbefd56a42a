import { z } from 'zod';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../find-channel.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import { deliverySchema, deliveryStatusSchema, toDeliveryRecord } from '../../records/delivery.ts';
import { eventTypeSchema } from '../../records/event-selection.ts';
import { toOrders } from '../../records/order.ts';
import { madeAtSchema } from '../../records/path-schemas.ts';

export const listDeliveries = defineRoute({
  method: 'GET',
  path: '/notification_channels/:channel_id/deliveries',
  summary: 'Deliveries of a channel',
  params: channelParams,
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['created_at'], '-created_at'),
    statuses: listParameter(deliveryStatusSchema),
    event_id: z.uuid().optional(),
    event_types: listParameter(eventTypeSchema),
    since: madeAtSchema.optional(),
    until: madeAtSchema.optional(),
  }),
  responses: { 200: pageSchema(deliverySchema) },
  handle: async ({ params, query, principal }, deps) => {
    const channel = await findChannel(deps, principal, params.channel_id);
    const where = { channelId: channel.id, status: query.statuses && { in: query.statuses }, eventId: query.event_id, eventType: query.event_types && { in: query.event_types }, createdAt: { gte: query.since, lte: query.until } };
    const { event_id, event_types, since, until } = query;
    const isKept = [event_id, event_types, since, until].every((filter) => filter === undefined);
    const total = isKept ? await sumCounts(deps.db, { scope: channel.id, list: 'deliveries' }, [query.statuses]) : await deps.prisma.delivery.count({ where });
    const orderBy = toOrders(query.sort_by, { created_at: 'createdAt' }, ['id']);
    const rows = offsetOf(query) < total ? await deps.prisma.delivery.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }) : [];
    return { status: 200, body: toPage(rows.map(toDeliveryRecord), total, query) };
  },
});
