// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';

export const getChannel = defineRoute({
  method: 'GET',
  path: '/notification_channels/:notification_channel_id',
  permission: 'api:notification_channel:read',
  isForPortals: true,
  summary: 'One notification channel',
  params: channelParams,
  responses: { 200: channelSchema },
  handle: async ({ params, principal }, deps) => ({
    status: 200,
    body: toChannelRecord(await findChannel(deps, { principal, id: params.notification_channel_id })),
  }),
});
