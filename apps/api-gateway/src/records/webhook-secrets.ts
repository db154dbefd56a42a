// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { notFound } from '@chainwatch/common/problem';

const secretHead = {
  id: z.uuid().meta({ description: 'Of the secret.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
  mask: z
    .string()
    .meta({ description: 'The secret without its secret part.', examples: ['svc_whsec_****QRST'] }),
  created_at: z.iso
    .datetime()
    .meta({ description: 'When it was made.', examples: ['2026-01-01T00:00:00.000Z'] }),
};

export const webhookSecretsSchema = z
  .object({
    current: z
      .object({
        ...secretHead,
        last_used_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'When it signed last. Null before.', examples: ['2026-01-01T00:00:00.000Z'] }),
      })
      .meta({ description: 'Signs every delivery.' }),
    previous: z
      .object({
        ...secretHead,
        rotated_at: z.iso
          .datetime()
          .meta({ description: 'When another took its place.', examples: ['2026-01-01T00:00:00.000Z'] }),
        expires_at: z.iso
          .datetime()
          .meta({ description: 'When it stops to sign.', examples: ['2026-01-02T00:00:00.000Z'] }),
      })
      .nullable()
      .meta({ description: 'Signs too while the overlap of a rotation runs. Null otherwise.' }),
  })
  .meta({ id: 'WebhookSecrets' });

/** The answer to a rotation: the only one that shows the new secret. */
export const rotatedSecretSchema = webhookSecretsSchema
  .extend({
    webhook_secret: z.string().meta({
      description: 'The new secret. Shown this once.',
      examples: ['svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST'],
    }),
  })
  .meta({ id: 'RotatedWebhookSecret' });

interface SecretRow {
  readonly id: string;
  readonly mask: string;
  readonly state: 'current' | 'previous';
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly rotated_at: Date | null;
  readonly expires_at: Date | null;
}

/**
 * The masks and times of a webhook channel's secrets. A previous secret is not shown once its overlap has ended.
 * @throws ProblemError 404 if the channel was deleted meanwhile
 */
export async function readWebhookSecrets(
  sql: Sql,
  channelId: string,
): Promise<z.infer<typeof webhookSecretsSchema>> {
  const { rows } = await sql.query<SecretRow>(
    `SELECT id, mask, state, created_at, last_used_at, rotated_at, expires_at FROM webhook_secrets
     WHERE channel_id = $1 AND (expires_at IS NULL OR expires_at > now())`,
    [channelId],
  );
  const current = rows.find(({ state }) => state === 'current');
  if (current === undefined) throw notFound(`There is no webhook channel ${channelId} in this project.`);
  const previous = rows.find(({ state }) => state === 'previous');
  return {
    current: { ...toHead(current), last_used_at: current.last_used_at?.toISOString() ?? null },
    previous: previous
      ? {
          ...toHead(previous),
          rotated_at: previous.rotated_at!.toISOString(),
          expires_at: previous.expires_at!.toISOString(),
        }
      : null,
  };
}

function toHead({ id, mask, created_at }: SecretRow): { id: string; mask: string; created_at: string } {
  return { id, mask, created_at: created_at.toISOString() };
}
