// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { ChannelKind } from '@chainwatch/channels';
import { checkChannel } from '../../channels/check-channel.ts';
import { askForConsent } from '../../channels/ask-for-consent.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { lockChannel } from '../../channels/lock-channel.ts';
import { openCredentials, sealCredentials } from '../../channels/seal-credentials.ts';
import { storeChannelChanges } from '../../channels/store-channel-changes.ts';
import { channelSchemaOf, toChannelRecord } from '../../records/channel.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { defineRoute, type ApiRoute } from '../../define-route.ts';

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
    ...(kind.check && { problems: kind.consent ? [422, 502] : [422] }),
    handle: async ({ params, body, principal }, deps) => {
      const { name, ...sent } = body;
      const given = await checkChannel(kind, sent, deps);
      const row = await findChannel(deps, { principal, id: params.notification_channel_id, kinds: [kind] });
      const before = await deps.db.transaction(async (sql) => {
        const locked = await lockChannel(sql, row);
        const { config, credentials, isNewTarget } = kind.change(given, locked.config);
        await storeChannelChanges(sql, locked, {
          name,
          config,
          credentialsSealed:
            credentials === undefined
              ? locked.credentialsSealed
              : sealCredentials(deps.sealer, row.id, credentials),
          hasNewTarget: isNewTarget,
          obstacle: kind.obstacleOf(config),
        });
        // They were of the filters before.
        if ('filters' in given)
          await sql.query('DELETE FROM channel_expression_errors WHERE channel_id = $1', [row.id]);
        return locked;
      });
      const after = await findChannel(deps, { principal, id: row.id });
      if (kind.consent !== undefined) {
        const credentials = openCredentials(deps.sealer, row.id, after.credentialsSealed);
        await askForConsent(kind, {
          channel: { ...after, credentials, before: before.config },
          principal,
          deps,
        });
      }
      return { status: 200, body: toChannelRecord(after) };
    },
  });
}
