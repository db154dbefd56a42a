import { z } from 'zod';
import { checkWebhookUrl } from '../../channels/check-webhook-url.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findChannel } from '../../channels/find-channel.ts';
import { createdChannelSchema, toWebhookChannelRecord } from '../../records/channel.ts';
import { defaultEventTypes } from '../../records/event-selection.ts';
import { nameSchema } from '../../records/path-schemas.ts';
import { webhookInput } from '../../records/webhook-config.ts';
import type { WebhookConfig } from '../../records/webhook-config.ts';
import { insertWebhookChannel } from './insert-webhook-channel.ts';

const bodySchema = z.strictObject({
  name: nameSchema,
  kind: z.literal('webhook').optional().meta({ description: 'May be told.' }),
  ...webhookInput,
});

export const createWebhookChannel = createRoute('/notification_channels/webhook');
/** The older name of the same (decisions.md 1.2). */
export const createChannel = createRoute('/channels');

function createRoute(path: string) {
  return defineRoute({
    method: 'POST',
    path,
    permission: 'api:notification_channel:write',
    summary: 'Create a webhook channel; the answer shows its signing secret this once',
    body: bodySchema,
    example: {
      name: 'Payments',
      url: 'https://hooks.example.com/chainwatch',
      event_types: ['transaction.confirmed'],
      filters: { direction: 'in' },
    },
    responses: { 201: createdChannelSchema },
    problems: [422],
    handle: async ({ body, principal }, deps) => {
      await checkWebhookUrl(body.url, deps);
      const auth = body.auth ?? { type: 'none' as const };
      const config: WebhookConfig = {
        url: body.url,
        headers: body.headers ?? {},
        auth: { type: auth.type },
        event_types: body.event_types ?? [...defaultEventTypes.webhook],
        filters: body.filters ?? {},
        throttle_per_second: body.throttle_per_second ?? null,
      };
      const { id, secret } = await insertWebhookChannel(
        { projectId: principal.projectId, name: body.name, config, auth },
        deps,
      );
      const row = await findChannel(deps, principal, id);
      return { status: 201, body: { ...toWebhookChannelRecord(row), webhook_secret: secret } };
    },
  });
}
