// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { CHANNEL_KINDS } from '@chainwatch/channels';
import { booleanParameter, pageParameters, pageSchema, sortParameter } from '@chainwatch/platform/http';
import { defineRoute } from '../../define-route.ts';
import { withErrors } from '../../channels/find-channel.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';
import { toListOrder } from '../../lists/list-order.ts';
import { inOrder, readList } from '../../lists/read-list.ts';
import type { AddValue } from '../../lists/build-conditions.ts';
import { containsIn } from '../../lists/search-rows.ts';

const kinds = CHANNEL_KINDS.map(({ kind }) => kind).toSorted();
const ORDERS = {
  name: { name: 'name', type: 'text' },
  kind: { name: 'kind', type: 'text' },
  created_at: { name: 'created_at', type: 'timestamptz' },
  updated_at: { name: 'updated_at', type: 'timestamptz' },
} as const;

export const listChannels = defineRoute({
  method: 'GET',
  path: '/notification_channels',
  permission: 'api:notification_channel:read',
  reads: 'standby',
  isForPortals: true,
  summary: 'Notification channels of the project',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['name', 'kind', 'created_at', 'updated_at'], '-created_at'),
    kind: z.enum(kinds).optional(),
    is_archived: booleanParameter.optional(),
    search: z.string().min(1).max(128).optional(),
  }),
  responses: { 200: pageSchema(channelSchema) },
  handle: async ({ query, principal }, deps) => {
    const list = {
      from: 'notification_channels',
      id: 'id',
      wanted: {
        project_id: [principal.projectId],
        id: principal.portal?.channelIds,
        kind: query.kind === undefined ? kinds : [query.kind],
        is_archived: query.is_archived === undefined ? undefined : [query.is_archived],
      },
      matches: (add: AddValue) =>
        query.search === undefined ? [] : [containsIn(['name'], add, query.search)],
      order: toListOrder(query.sort_by, ORDERS, [{ name: 'id', type: 'uuid' }]),
    } as const;
    const read = async (ids: string[]) =>
      inOrder(
        ids,
        await deps.prisma.notificationChannel.findMany({ ...withErrors, where: { id: { in: ids } } }),
      ).map(toChannelRecord);
    return {
      status: 200,
      body: await readList(deps, { call: { principal, name: 'channels', query }, list, read }),
    };
  },
});
