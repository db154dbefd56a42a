// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { conflict, notFound } from '@chainwatch/common/problem';
import { defineRoute } from '../../define-route.ts';
import { channelParams, findChannel, SIGNED_KINDS } from '../../channels/find-channel.ts';
import { insertWebhookSecret } from '../../channels/insert-webhook-secret.ts';
import { recordChange } from '../../management/record-change.ts';
import { readWebhookSecrets, rotatedSecretSchema } from '../../records/webhook-secrets.ts';

const OVERLAP = '24 hours';

export const rotateWebhookSecret = defineRoute({
  method: 'POST',
  path: '/notification_channels/:notification_channel_id/webhook-secrets/actions/rotate',
  permission: 'api:webhook_secret:rotate',
  summary: 'Make a new signing secret; for 24 hours deliveries are signed with the old one too',
  params: channelParams,
  responses: { 200: rotatedSecretSchema },
  problems: [409],
  handle: async ({ params, principal, requestId }, deps) => {
    const { id } = await findChannel(deps, {
      principal,
      id: params.notification_channel_id,
      kinds: SIGNED_KINDS,
    });
    const secret = await deps.db.transaction(async (sql) => {
      await retireCurrentSecret(sql, id);
      await recordChange(sql, { principal, requestId }, { action: 'channel.secret_rotated', targetId: id });
      return insertWebhookSecret(sql, id, deps);
    });
    return { status: 200, body: { ...(await readWebhookSecrets(deps.db, id)), webhook_secret: secret } };
  },
});

/**
 * @throws ProblemError 409 while an overlap runs, because the header never holds more than two signatures (decisions.md
 * 1.12)
 */
async function retireCurrentSecret(sql: Sql, channelId: string): Promise<void> {
  // Of two concurrent rotations the second waits here, and then finds the overlap of the first.
  const { rowCount } = await sql.query('SELECT FROM notification_channels WHERE id = $1 FOR UPDATE', [
    channelId,
  ]);
  if (rowCount === 0) throw notFound(`There is no webhook channel ${channelId} in this project.`);
  await sql.query(
    `DELETE FROM webhook_secrets WHERE channel_id = $1 AND state = 'previous' AND expires_at <= now()`,
    [channelId],
  );
  const { rows } = await sql.query<{ expires_at: Date }>(
    `SELECT expires_at FROM webhook_secrets WHERE channel_id = $1 AND state = 'previous'`,
    [channelId],
  );
  if (rows[0])
    throw conflict(
      `The overlap of the last rotation runs until ${rows[0].expires_at.toISOString()}: end it first.`,
    );
  await sql.query(
    `UPDATE webhook_secrets SET state = 'previous', rotated_at = now(), expires_at = now() + interval '${OVERLAP}' WHERE channel_id = $1 AND state = 'current'`,
    [channelId],
  );
}
