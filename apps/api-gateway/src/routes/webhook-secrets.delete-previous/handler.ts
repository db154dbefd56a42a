// SPDX-License-Identifier: Apache-2.0
import { notFound } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { recordChange } from '../../management/record-change.ts';
import { channelParams, findChannel, SIGNED_KINDS } from '../../channels/find-channel.ts';

export const deletePreviousSecret = defineRoute({
  method: 'DELETE',
  path: '/notification_channels/:notification_channel_id/webhook-secrets/previous',
  permission: 'api:webhook_secret:rotate',
  summary: 'End the overlap of a rotation: from now on only the new secret signs',
  params: channelParams,
  responses: { 204: undefined },
  handle: async ({ params, principal, requestId }, deps) => {
    const { id } = await findChannel(deps, {
      principal,
      id: params.notification_channel_id,
      kinds: SIGNED_KINDS,
    });
    await deps.db.transaction(async (sql) => {
      const { rowCount } = await sql.query(
        `DELETE FROM webhook_secrets WHERE channel_id = $1 AND state = 'previous' AND expires_at > now()`,
        [id],
      );
      if (rowCount === 0) throw notFound('No overlap runs: the channel has one secret.');
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'channel.secret_overlap_ended', targetId: id },
      );
    });
    return { status: 204 };
  },
});
