import { z } from 'zod';
import { natsConfigSchema } from './nats-config.ts';
import { telegramConfigSchema } from './telegram-config.ts';
import { webhookConfigSchema } from './webhook-config.ts';

const channelStatusSchema = z.enum(['active', 'failing', 'failed', 'archived']);

const common = {
  id: z.uuid(),
  name: z.string(),
  is_archived: z.boolean(),
  status: channelStatusSchema,
  failed_at: z.iso.datetime().nullable(),
  failure_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const webhookChannelSchema = z.object({ ...common, kind: z.literal('webhook'), config: webhookConfigSchema });
export const natsChannelSchema = z.object({ ...common, kind: z.literal('nats'), config: natsConfigSchema });
export const telegramChannelSchema = z.object({ ...common, kind: z.literal('telegram'), config: telegramConfigSchema });
export const channelSchema = z.discriminatedUnion('kind', [webhookChannelSchema, natsChannelSchema, telegramChannelSchema]);

/** The answer of creating a webhook channel: the only one that shows the secret. */
export const createdChannelSchema = webhookChannelSchema.extend({ webhook_secret: z.string() });

export interface ChannelRow {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly config: unknown;
  readonly status: string;
  readonly isArchived: boolean;
  readonly failedAt: Date | null;
  readonly failureReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function toChannelRecord(row: ChannelRow): z.infer<typeof channelSchema> {
  return channelSchema.parse({ ...toCommonRecord(row), kind: row.kind, config: row.config });
}

export function toWebhookChannelRecord(row: ChannelRow): z.infer<typeof webhookChannelSchema> {
  return webhookChannelSchema.parse({ ...toCommonRecord(row), kind: row.kind, config: row.config });
}

function toCommonRecord(row: ChannelRow) {
  return {
    id: row.id,
    name: row.name,
    is_archived: row.isArchived,
    status: row.isArchived ? 'archived' : row.status,
    failed_at: row.failedAt?.toISOString() ?? null,
    failure_reason: row.failureReason,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
