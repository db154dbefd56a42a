// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findChannel } from '../../channels/find-channel.ts';
import { periodSchema, statsSeriesSchema } from '../../records/stats.ts';
import { defineRoute } from '../../server/define-route.ts';
import { readSeries } from './read-series.ts';

const querySchema = z.strictObject({
  period: periodSchema.default('24h'),
  channel_id: z.uuid().optional().meta({ description: 'Only deliveries of this channel.' }),
});

export const getStatsSeries = defineRoute({
  method: 'GET',
  path: '/stats/series',
  permission: 'api:event:read',
  reads: 'standby',
  summary: 'Events, deliveries, success rate, and latency over a period, for charts',
  problems: [404],
  query: querySchema,
  responses: { 200: statsSeriesSchema },
  handle: async ({ query: { period, channel_id: id }, principal }, deps) => {
    if (id !== undefined) await findChannel(deps, { principal, id });
    return { status: 200, body: await readSeries(deps.db, { principal, period, channelId: id }) };
  },
});
