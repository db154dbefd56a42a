// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { generateWebhookSecret, maskWebhookSecret } from '@chainwatch/common/api-key';
import type { Sql } from '@chainwatch/data/db';
import type { ApiDeps } from '../api-deps.ts';

/**
 * Makes the current signing secret of a channel and stores it sealed. Returns the plain text, which is stored nowhere.
 */
export async function insertWebhookSecret(
  sql: Sql,
  channelId: string,
  { sealer, settings }: Pick<ApiDeps, 'sealer' | 'settings'>,
): Promise<string> {
  const id = randomUUID();
  const secret = generateWebhookSecret({ label: settings.namespaceLabel, randomBytes });
  await sql.query(
    `INSERT INTO webhook_secrets (id, channel_id, secret_sealed, mask, state) VALUES ($1, $2, $3, $4, 'current')`,
    [id, channelId, sealer.seal(secret, `webhook_secret:${id}`), maskWebhookSecret(secret)],
  );
  return secret;
}
