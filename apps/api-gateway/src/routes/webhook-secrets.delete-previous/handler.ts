import { notFound } from '@chainwatch/problem';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel, SIGNED_KINDS } from '../../channels/find-channel.ts';

export const deletePreviousSecret = defineRoute({
  method: 'DELETE',
  path: '/notification_channels/:notification_channel_id/webhook-secrets/previous',
  permission: 'api:webhook_secret:rotate',
  summary: 'End the overlap of a rotation: from now on only the new secret signs',
  params: channelParams,
  responses: { 204: undefined },
  handle: async ({ params, principal }, deps) => {
    const { id } = await findChannel(deps, principal, params.notification_channel_id, SIGNED_KINDS);
    const { rows } = await deps.db.query<{ is_running: boolean }>(
      `DELETE FROM webhook_secrets WHERE channel_id = $1 AND state = 'previous' RETURNING expires_at > now() AS is_running`,
      [id],
    );
    if (rows[0]?.is_running !== true) throw notFound('No overlap runs: the channel has one secret.');
    return { status: 204 };
  },
});
