import { z } from 'zod';
import { eventTypeSchema } from '@chainwatch/channels';
import { listParameter, offsetOf, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/http';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import type { ApiDeps } from '../../server/api-deps.ts';
import { deliverySchema, deliveryStatusSchema, toDeliveryRecord } from '../../records/delivery.ts';
import { madeAtSchema, madeUntilSchema } from '../../records/path-schemas.ts';

const querySchema = z.strictObject({
  ...pageParameters,
  sort_by: sortParameter(['created_at'], '-created_at'),
  statuses: listParameter(deliveryStatusSchema),
  event_id: z.uuid().optional(),
  event_types: listParameter(eventTypeSchema).meta({
    description: 'Only deliveries of events of these types.',
  }),
  since: madeAtSchema.optional(),
  until: madeUntilSchema.optional(),
});
type DeliveryQuery = z.infer<typeof querySchema>;

export const listDeliveries = defineRoute({
  method: 'GET',
  path: '/notification_channels/:notification_channel_id/deliveries',
  permission: 'api:delivery:read',
  summary: 'Deliveries of a channel',
  params: channelParams,
  query: querySchema,
  responses: { 200: pageSchema(deliverySchema) },
  handle: async ({ params, query, principal }, deps) => {
    const { id } = await findChannel(deps, principal, params.notification_channel_id);
    const total = await countDeliveries(deps, id, query);
    const ids = offsetOf(query) < total ? await findPageIds(deps, id, query) : [];
    const rows = new Map(
      (await deps.prisma.delivery.findMany({ where: { id: { in: ids } } })).map((row) => [row.id, row]),
    );
    return {
      status: 200,
      body: toPage(ids.flatMap((each) => rows.get(each) ?? []).map(toDeliveryRecord), total, query),
    };
  },
});

async function countDeliveries(
  { db, prisma }: Pick<ApiDeps, 'db' | 'prisma'>,
  channelId: string,
  query: DeliveryQuery,
): Promise<number> {
  const { statuses, event_id, event_types, since, until } = query;
  if ([event_id, since, until].every((filter) => filter === undefined))
    return sumCounts(db, { scope: channelId, list: 'deliveries' }, [statuses, event_types]);
  return prisma.delivery.count({ where: toConditions(channelId, query) });
}

/** Only the ids are read, so an index alone answers however many rows are skipped. */
async function findPageIds(
  { db, prisma }: Pick<ApiDeps, 'db' | 'prisma'>,
  channelId: string,
  query: DeliveryQuery,
): Promise<string[]> {
  const { statuses, event_id, event_types, since, until, limit } = query;
  const isDescending = query.sort_by.startsWith('-');
  const offset = offsetOf(query);
  if (
    statuses !== undefined &&
    [event_id, event_types, since, until].every((filter) => filter === undefined)
  ) {
    const source = {
      table: 'deliveries',
      id: 'id',
      key: 'status',
      type: 'text',
      values: [...new Set(statuses)],
      where: 'channel_id = $2',
      parameters: [channelId],
    } as const;
    return readIdsByValue(db, source, {
      column: 'created_at',
      direction: isDescending ? 'DESC' : 'ASC',
      offset,
      limit,
    });
  }
  const direction = isDescending ? 'desc' : 'asc';
  const rows = await prisma.delivery.findMany({
    where: toConditions(channelId, query),
    orderBy: [{ createdAt: direction }, { id: direction }],
    select: { id: true },
    skip: offset,
    take: limit,
  });
  return rows.map(({ id }) => id);
}

function toConditions(channelId: string, { statuses, event_id, event_types, since, until }: DeliveryQuery) {
  return {
    channelId,
    status: statuses && { in: statuses },
    eventId: event_id,
    eventType: event_types && { in: event_types },
    createdAt: { gte: since, lte: until },
  };
}
