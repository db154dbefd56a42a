import { z } from 'zod';
import { checkWebhookUrl } from '../../check-webhook-url.ts';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel } from '../../find-channel.ts';
import { reactivateChannel } from '../../reactivate-channel.ts';
import { channelSchema, toChannelRecord } from '../../records/channel.ts';
import { webhookConfigSchema, webhookInput } from '../../records/webhook-config.ts';
import type { WebhookConfig } from '../../records/webhook-config.ts';
import { sealAuth } from '../../seal-auth.ts';

export const updateWebhookChannel = defineRoute({
  method: 'PATCH',
  path: '/notification_channels/webhook/:channel_id',
  summary: 'Change a webhook channel; a new URL makes a failed channel active again',
  params: channelParams,
  body: z
    .strictObject({ name: z.string().trim().min(1).max(255).optional(), ...webhookInput, url: webhookInput.url.optional() })
    .refine((body) => Object.keys(body).length > 0, { error: 'expected at least one member' }),
  responses: { 200: channelSchema },
  problems: [422],
  handle: async ({ params, body, principal }, deps) => {
    if (body.url !== undefined) await checkWebhookUrl(body.url, deps);
    const row = await findChannel(deps, principal, params.channel_id);
    const { name, auth, ...changes } = body;
    const stored = webhookConfigSchema.parse(row.config);
    const config: WebhookConfig = { ...stored, ...withoutUndefined(changes), auth: { type: auth?.type ?? stored.auth.type } };
    await deps.db.transaction(async (sql) => {
      await sql.query(`UPDATE notification_channels SET name = $2, config = $3, credentials_sealed = $4, updated_at = now() WHERE id = $1`, [
        row.id,
        name ?? row.name,
        JSON.stringify(config),
        auth === undefined ? row.credentialsSealed : sealAuth(deps.sealer, row.id, auth),
      ]);
      const hasNewUrl = config.url !== stored.url;
      if (hasNewUrl && !row.isArchived && row.status !== 'active') await reactivateChannel(sql, row.id, 'deliver');
    });
    return { status: 200, body: toChannelRecord(await findChannel(deps, principal, row.id)) };
  },
});

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<T>;
}
