import { z } from 'zod';
import { checkWebhookUrl } from '../../channels/check-webhook-url.ts';
import { defineRoute } from '../../server/define-route.ts';
import { channelParams, findChannel } from '../../channels/find-channel.ts';
import { toWebhookChannelRecord, webhookChannelSchema } from '../../records/channel.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { webhookConfigSchema, webhookInput } from '../../records/webhook-config.ts';
import type { WebhookConfig } from '../../records/webhook-config.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';
import { storeChannelChanges } from '../../channels/store-channel-changes.ts';
import { withoutUndefined } from '../../channels/without-undefined.ts';

export const updateWebhookChannel = defineRoute({
  method: 'PATCH',
  path: '/notification_channels/webhook/:notification_channel_id',
  permission: 'api:notification_channel:write',
  summary: 'Change a webhook channel; a new URL makes a failed channel active again',
  params: channelParams,
  body: z
    .strictObject({ name: nameSchema.optional(), ...webhookInput, url: webhookInput.url.optional() })
    .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one member' }),
  example: { throttle_per_second: 10 },
  responses: { 200: webhookChannelSchema },
  problems: [422],
  handle: async ({ params, body, principal }, deps) => {
    if (body.url !== undefined) await checkWebhookUrl(body.url, deps);
    const row = await findChannel(deps, principal, params.notification_channel_id, 'webhook');
    const { name, auth, ...changes } = body;
    const stored = webhookConfigSchema.parse(row.config);
    const config: WebhookConfig = {
      ...stored,
      ...withoutUndefined(changes),
      auth: { type: auth?.type ?? stored.auth.type },
    };
    const credentialsSealed =
      auth === undefined ? row.credentialsSealed : sealCredentials(deps.sealer, row.id, { auth });
    await deps.db.transaction((sql) =>
      storeChannelChanges(sql, row, {
        name,
        config,
        credentialsSealed,
        hasNewTarget: config.url !== stored.url,
      }),
    );
    return { status: 200, body: toWebhookChannelRecord(await findChannel(deps, principal, row.id)) };
  },
});
