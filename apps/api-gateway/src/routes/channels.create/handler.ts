// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ChannelKind } from '@chainwatch/channels';
import type { Sql } from '@chainwatch/data/db';
import { askForConsent } from '../../channels/ask-for-consent.ts';
import { checkChannel } from '../../channels/check-channel.ts';
import { findChannel } from '../../channels/find-channel.ts';
import { insertChannel } from '../../channels/insert-channel.ts';
import { insertWebhookSecret } from '../../channels/insert-webhook-secret.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';
import { requireQuota } from '../../management/take-quota.ts';
import { createdChannelSchemaOf, toChannelRecord } from '../../records/channel.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { defineRoute, type ApiRoute } from '../../define-route.ts';

/** The route that creates channels of a kind. */
export function createChannelRoute(
  kind: ChannelKind,
  path = `/notification_channels/${kind.kind}`,
): ApiRoute {
  const told = z.literal(kind.kind).optional().meta({ description: 'Optional; must match the path.' });
  return defineRoute({
    method: 'POST',
    path,
    permission: 'api:notification_channel:write',
    summary: kind.docs.create,
    body: z.strictObject({ name: nameSchema, ...(kind.isDefault && { kind: told }), ...kind.input }),
    example: kind.docs.createExample,
    responses: { 201: createdChannelSchemaOf(kind) },
    problems: kind.consent ? [422, 502] : [422],
    handle: async ({ body, principal }, deps) => {
      const { name, kind: _told, ...sent } = body;
      const given = await checkChannel(kind, sent, deps);
      const { config, credentials } = kind.change(given);
      const id = randomUUID();
      const takeRoom = (sql: Sql): Promise<void> => requireQuota(sql, principal.workspaceId, 'channels');
      // Nobody is asked for a channel that there is no room for. No transaction: nothing was carried out yet.
      if (kind.consent !== undefined) await takeRoom(deps.db);
      await askForConsent(kind, { channel: { id, config, credentials, before: undefined }, principal, deps });
      const secret = await deps.db.transaction(async (sql) => {
        await takeRoom(sql);
        const credentialsSealed = sealCredentials(deps.sealer, id, credentials ?? null);
        const { projectId } = principal;
        const obstacle = kind.obstacleOf(config);
        await insertChannel(sql, {
          id,
          projectId,
          kind: kind.kind,
          name,
          config,
          credentialsSealed,
          obstacle,
        });
        return kind.isSigned ? insertWebhookSecret(sql, id, deps) : undefined;
      });
      const record = toChannelRecord(await findChannel(deps, { principal, id }));
      return {
        status: 201,
        body: secret === undefined ? record : { ...record, webhook_secret: secret },
        location: `/notification_channels/${id}`,
      };
    },
  });
}
