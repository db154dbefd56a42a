// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel, withErrors } from '../../channels/find-channel.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';

export const archiveChannel = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/actions/archive',
  permission: 'api:notification_channel:write',
  summary: 'Disable a notification channel and keep its configuration',
  params: channelParams,
  responses: { 200: channelSchema },
  handle: async ({ params, principal }, deps) => {
    const row = await findChannel(deps, { principal, id: params.notification_channel_id });
    if (row.isArchived) return { status: 200, body: toChannelRecord(row) };
    const archived = await deps.prisma.notificationChannel.update({
      ...withErrors,
      where: { id: row.id },
      data: { isArchived: true, updatedAt: new Date() },
    });
    return { status: 200, body: toChannelRecord(archived) };
  },
});
