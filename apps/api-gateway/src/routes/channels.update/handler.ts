import { z } from 'zod';
import type { ChannelKind } from '@chainwatch/channels';
import { checkChannel } from '../../channels/check-channel.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';
import { storeChannelChanges } from '../../channels/store-channel-changes.ts';
import { channelSchemaOf, toChannelRecord } from '../../records/channel.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { defineRoute, type ApiRoute } from '../../server/define-route.ts';

/** The route that changes channels of a kind. */
export function updateChannelRoute(kind: ChannelKind): ApiRoute {
  return defineRoute({
    method: 'PATCH',
    path: `/notification_channels/${kind.kind}/:notification_channel_id`,
    permission: 'api:notification_channel:write',
    summary: kind.docs.update,
    params: channelParams,
    body: z
      .strictObject({ name: nameSchema, ...kind.input })
      .partial()
      .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one member' }),
    example: kind.docs.updateExample,
    responses: { 200: channelSchemaOf(kind) },
    ...(kind.check && { problems: [422] }),
    handle: async ({ params, body, principal }, deps) => {
      const { name, ...given } = body;
      await checkChannel(kind, given, deps);
      const row = await findChannel(deps, principal, params.notification_channel_id, [kind]);
      const { config, credentials, isNewTarget } = kind.change(given, row.config);
      const credentialsSealed =
        credentials === undefined ? row.credentialsSealed : sealCredentials(deps.sealer, row.id, credentials);
      await deps.db.transaction((sql) =>
        storeChannelChanges(sql, row, { name, config, credentialsSealed, hasNewTarget: isNewTarget }),
      );
      return { status: 200, body: toChannelRecord(await findChannel(deps, principal, row.id)) };
    },
  });
}
