// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { findChannelKind } from '@chainwatch/channels';
import { unprocessableEntity } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';
import { discardHeld, failChannel, reactivateChannel } from '../../channels/reactivate-channel.ts';

export const restoreChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/actions/restore',
  permission: 'api:notification_channel:write',
  summary:
    'Make an archived or failed channel active again; held events are delivered, or discarded with held=discard',
  params: channelParams,
  query: z.strictObject({
    held: z
      .enum(['deliver', 'discard'])
      .default('deliver')
      .meta({ description: 'What becomes of the events that waited: delivered, or discarded.' }),
  }),
  responses: { 200: channelSchema },
  problems: [422],
  handle: async ({ params, query, principal }, deps) => {
    const row = await findChannel(deps, { principal, id: params.notification_channel_id });
    if (!row.isArchived && row.status === 'active') return { status: 200, body: toChannelRecord(row) };
    const obstacle = findChannelKind(row.kind)?.obstacleOf(row.config);
    if (obstacle !== undefined && !row.isArchived)
      throw unprocessableEntity(`Nothing can be sent: ${obstacle}.`);
    if (query.held === 'discard') await discardHeld(deps.db, row.id);
    await reactivateChannel(deps.db, row.id);
    if (obstacle !== undefined) await failChannel(deps.db, row.id, obstacle);
    return { status: 200, body: toChannelRecord(await findChannel(deps, { principal, id: row.id })) };
  },
});
