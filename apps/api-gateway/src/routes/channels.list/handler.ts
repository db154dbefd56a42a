import { z } from 'zod';
import { CHANNEL_KINDS } from '@chainwatch/channels';
import type { Prisma } from '@chainwatch/db/prisma';
import {
  booleanParameter,
  offsetOf,
  pageParameters,
  pageSchema,
  sortParameter,
  toPage,
} from '@chainwatch/http';
import { containsText } from '../../lists/contains-text.ts';
import { defineRoute } from '../../server/define-route.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';
import { toOrders } from '../../records/order.ts';

const kinds = CHANNEL_KINDS.map(({ kind }) => kind).toSorted();
const COLUMNS = { name: 'name', kind: 'kind', created_at: 'createdAt', updated_at: 'updatedAt' } as const;

export const listChannels = defineRoute({
  method: 'GET',
  path: '/notification_channels',
  permission: 'api:notification_channel:read',
  summary: 'Notification channels of the project',
  query: z.strictObject({
    ...pageParameters,
    sort_by: sortParameter(['name', 'kind', 'created_at', 'updated_at'], '-created_at'),
    kind: z.enum(kinds).optional(),
    is_archived: booleanParameter.optional(),
    search: z.string().min(1).max(128).optional(),
  }),
  responses: { 200: pageSchema(channelSchema) },
  handle: async ({ query, principal }, { prisma }) => {
    const where: Prisma.NotificationChannelWhereInput = {
      projectId: principal.projectId,
      kind: query.kind ?? { in: kinds },
      isArchived: query.is_archived,
      name: query.search === undefined ? undefined : containsText(query.search),
    };
    const orderBy = toOrders(query.sort_by, COLUMNS, ['id']);
    const [rows, total] = await Promise.all([
      prisma.notificationChannel.findMany({ where, orderBy, skip: offsetOf(query), take: query.limit }),
      prisma.notificationChannel.count({ where }),
    ]);
    return { status: 200, body: toPage(rows.map(toChannelRecord), total, query) };
  },
});
