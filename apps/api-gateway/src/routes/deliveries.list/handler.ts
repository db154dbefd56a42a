// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { eventTypeSchema } from '@chainwatch/channels';
import { listParameter, pageParameters, pageSchema, sortParameter, toPage } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { readIdsByValue } from '../../lists/read-ids-by-value.ts';
import { sumCounts } from '../../lists/sum-counts.ts';
import type { ApiDeps } from '../../api-deps.ts';
import { deliverySchema, deliveryStatusSchema, toDeliveryRecord } from '../../records/delivery.ts';
import { madeAtSchema, madeUntilSchema } from '../../records/path-schemas.ts';
import type { Sql } from '@chainwatch/data/db';
import { toListOrder } from '../../lists/list-order.ts';
import { exportTypes } from '../../lists/export-formats.ts';
import type { Listing } from '../../lists/exports.ts';
import { openPager, type ListedRow, type Range } from '../../lists/pager.ts';
import { inOrder, readRows, type List } from '../../lists/read-list.ts';

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
  reads: 'standby',
  isForPortals: true,
  summary: 'Deliveries of a channel',
  params: channelParams,
  query: querySchema,
  responses: { 200: pageSchema(deliverySchema) },
  alternatives: exportTypes(deliverySchema),
  handle: async ({ params, query, principal, mediaType }, deps) => {
    const { id } = await findChannel(deps, { principal, id: params.notification_channel_id });
    const exported = await deps.exports.answer({
      ...{ mediaType, record: deliverySchema, principal, query, deps },
      open: async (source) => openDeliveries(source, id, query),
    });
    if (exported !== undefined) return exported;
    const pager = openPager({ sealer: deps.sealer, principal, list: `deliveries ${id}`, query });
    const total = await countDeliveries(deps, id, query);
    const found =
      pager.range.offset < total ? await findRows(deps.db, { channelId: id, query, range: pager.range }) : [];
    const { rows, nextCursor } = pager.close(found);
    const ids = rows.map((row) => row.id);
    return { status: 200, body: toPage(await readRecords(deps, ids), { total, request: query, nextCursor }) };
  },
});

/** All of them, for an export. */
function openDeliveries(
  deps: Pick<ApiDeps, 'db' | 'prisma'>,
  channelId: string,
  query: DeliveryQuery,
): Listing {
  return {
    find: (range) => findRows(deps.db, { channelId, query, range }),
    read: (ids) => readRecords(deps, ids),
    weight: {
      table: 'deliveries',
      idType: 'uuid',
      bytes: '500 + coalesce(octet_length(t.last_error), 0)',
    },
  };
}

async function readRecords({ prisma }: Pick<ApiDeps, 'prisma'>, ids: string[]) {
  const rows = await prisma.delivery.findMany({ where: { id: { in: ids } } });
  return inOrder(ids, rows).map(toDeliveryRecord);
}

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

async function findRows(
  db: Sql,
  {
    channelId,
    query,
    range,
  }: { readonly channelId: string; readonly query: DeliveryQuery; readonly range: Range },
): Promise<readonly ListedRow[]> {
  const { statuses, event_id, event_types, since, until } = query;
  const direction = query.sort_by.startsWith('-') ? 'DESC' : 'ASC';
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
    return readIdsByValue(db, { source, order: { column: 'created_at', direction }, page: range });
  }
  const list: List = {
    from: 'deliveries',
    id: 'id',
    wanted: {
      channel_id: [channelId],
      status: statuses,
      event_id: event_id === undefined ? undefined : [event_id],
      event_type: event_types,
    },
    matches: (add) => [
      ...(since === undefined ? [] : [`created_at >= ${add(since)}`]),
      ...(until === undefined ? [] : [`created_at <= ${add(until)}`]),
    ],
    order: toListOrder(query.sort_by, { created_at: { name: 'created_at', type: 'timestamptz' } }, [
      { name: 'id', type: 'uuid' },
    ]),
  };
  return readRows(db, list, range);
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
