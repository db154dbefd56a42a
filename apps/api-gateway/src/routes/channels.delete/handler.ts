// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { recordChange } from '../../management/record-change.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';

export const deleteChannel = defineRoute({
  method: 'DELETE',
  path: '/notification_channels/:notification_channel_id',
  permission: 'api:notification_channel:write',
  summary: 'Delete a notification channel with its deliveries',
  params: channelParams,
  responses: { 204: undefined },
  handle: async ({ params, principal, requestId }, deps) => {
    const { id } = await findChannel(deps, { principal, id: params.notification_channel_id });
    await deps.db.transaction(async (sql) => {
      const { rows } = await sql.query<{ name: string; kind: string }>(
        'DELETE FROM notification_channels WHERE id = $1 RETURNING name, kind',
        [id],
      );
      const [from] = rows;
      if (from !== undefined)
        await recordChange(sql, { principal, requestId }, { action: 'channel.deleted', targetId: id, from });
    });
    return { status: 204 };
  },
});
