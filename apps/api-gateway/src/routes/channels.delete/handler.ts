import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';

export const deleteChannel = defineRoute({
  method: 'DELETE',
  path: '/notification_channels/:notification_channel_id',
  permission: 'api:notification_channel:write',
  summary: 'Delete a notification channel with its deliveries',
  params: channelParams,
  responses: { 204: undefined },
  handle: async ({ params, principal }, deps) => {
    const { id } = await findChannel(deps, principal, params.notification_channel_id);
    await deps.prisma.notificationChannel.deleteMany({ where: { id } });
    return { status: 204 };
  },
});
