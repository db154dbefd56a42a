import { randomBytes, randomUUID } from 'node:crypto';
import { generateWebhookSecret, maskWebhookSecret } from '@chainwatch/api-key';
import type { ApiDeps } from '../../api-deps.ts';
import { sealAuth } from '../../seal-auth.ts';
import type { WebhookAuth, WebhookConfig } from '../../records/webhook-config.ts';

interface NewWebhookChannel {
  readonly projectId: string;
  readonly name: string;
  readonly config: WebhookConfig;
  readonly auth: WebhookAuth;
}

/** Writes the channel and its signing secret, sealed. The plain secret comes back for the answer, and is nowhere else. */
export async function insertWebhookChannel(
  channel: NewWebhookChannel,
  { db, sealer, settings }: Pick<ApiDeps, 'db' | 'sealer' | 'settings'>,
): Promise<{ id: string; secret: string }> {
  const id = randomUUID();
  const secretId = randomUUID();
  const secret = generateWebhookSecret({ label: settings.namespaceLabel, randomBytes });
  await db.transaction(async (sql) => {
    await sql.query(
      `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) VALUES ($1, $2, 'webhook', $3, $4, $5)`,
      [id, channel.projectId, channel.name, JSON.stringify(channel.config), sealAuth(sealer, id, channel.auth)],
    );
    await sql.query(`INSERT INTO webhook_secrets (id, channel_id, secret_sealed, mask, state) VALUES ($1, $2, $3, $4, 'current')`, [
      secretId,
      id,
      sealer.seal(secret, `webhook_secret:${secretId}`),
      maskWebhookSecret(secret),
    ]);
  });
  return { id, secret };
}
