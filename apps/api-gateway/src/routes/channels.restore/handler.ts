import { z } from 'zod';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';
import { discardHeld, reactivateChannel } from '../../channels/reactivate-channel.ts';

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
  handle: async ({ params, query, principal }, deps) => {
    const row = await findChannel(deps, principal, params.notification_channel_id);
    if (!row.isArchived && row.status === 'active') return { status: 200, body: toChannelRecord(row) };
    if (query.held === 'discard') await discardHeld(deps.db, row.id);
    await reactivateChannel(deps.db, row.id);
    return { status: 200, body: toChannelRecord(await findChannel(deps, principal, row.id)) };
  },
});
