// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { invalidRequest } from '@chainwatch/problem';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { madeAtSchema, madeUntilSchema } from '../../records/path-schemas.ts';
import { recoverDeliveries } from './recover-deliveries.ts';

export const recover = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/deliveries/actions/recover',
  permission: 'api:delivery:replay',
  isForPortals: true,
  summary: 'Send again, in event order, what failed or was discarded since a time',
  params: channelParams,
  body: z.strictObject({
    since: madeAtSchema.meta({
      description: 'What was made then or later.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    until: madeUntilSchema
      .optional()
      .meta({ description: 'And before then; absent: until now.', examples: ['2026-01-02T00:00:00Z'] }),
  }),
  example: { since: '2026-01-01T00:00:00Z' },
  responses: {
    202: z.object({
      recovered_count: z
        .int()
        .min(0)
        .meta({ description: 'Deliveries that are sent again.', examples: [12] }),
    }),
  },
  handle: async ({ params, body, principal }, deps) => {
    const until = body.until ?? new Date();
    if (body.since > until) throw invalidRequest([{ name: 'since', reason: 'expected a time before until' }]);
    const { id } = await findChannel(deps, { principal, id: params.notification_channel_id });
    return {
      status: 202,
      body: {
        recovered_count: await recoverDeliveries(deps.db, { channelId: id, since: body.since, until }),
      },
    };
  },
});
