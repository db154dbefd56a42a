// SPDX-License-Identifier: Apache-2.0
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel, SIGNED_KINDS } from '../../channels/find-channel.ts';
import { readWebhookSecrets, webhookSecretsSchema } from '../../records/webhook-secrets.ts';

export const getWebhookSecrets = defineRoute({
  method: 'GET',
  path: '/notification_channels/:notification_channel_id/webhook-secrets',
  permission: 'api:webhook_secret:read',
  summary: 'Masks and times of the signing secrets of a webhook channel',
  params: channelParams,
  responses: { 200: webhookSecretsSchema },
  handle: async ({ params, principal }, deps) => {
    const { id } = await findChannel(deps, {
      principal,
      id: params.notification_channel_id,
      kinds: SIGNED_KINDS,
    });
    return { status: 200, body: await readWebhookSecrets(deps.db, id) };
  },
});
