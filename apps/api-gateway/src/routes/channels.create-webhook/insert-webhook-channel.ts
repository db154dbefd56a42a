import { randomUUID } from 'node:crypto';
import type { ApiDeps } from '../../server/api-deps.ts';
import { insertChannel } from '../../channels/insert-channel.ts';
import { insertWebhookSecret } from '../../channels/insert-webhook-secret.ts';
import type { WebhookAuth, WebhookConfig } from '../../records/webhook-config.ts';
import { sealCredentials } from '../../channels/seal-credentials.ts';

interface NewWebhookChannel {
  readonly projectId: string;
  readonly name: string;
  readonly config: WebhookConfig;
  readonly auth: WebhookAuth;
}

/** Writes the channel and its signing secret, sealed. The plain secret comes back for the answer, and is nowhere else. */
export async function insertWebhookChannel(
  { projectId, name, config, auth }: NewWebhookChannel,
  { db, sealer, settings }: Pick<ApiDeps, 'db' | 'sealer' | 'settings'>,
): Promise<{ id: string; secret: string }> {
  const id = randomUUID();
  const secret = await db.transaction(async (sql) => {
    await insertChannel(sql, {
      id,
      projectId,
      kind: 'webhook',
      name,
      config,
      credentialsSealed: sealCredentials(sealer, id, { auth }),
    });
    return insertWebhookSecret(sql, id, { sealer, settings });
  });
  return { id, secret };
}
