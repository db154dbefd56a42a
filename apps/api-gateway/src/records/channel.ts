import { z } from 'zod';
import { natsConfigSchema } from './nats-config.ts';
import { telegramConfigSchema } from './telegram-config.ts';
import { webhookConfigSchema } from './webhook-config.ts';

const channelStatusSchema = z.enum(['active', 'failing', 'failed', 'archived']);

const common = {
  id: z.uuid().meta({ description: 'Of the channel.', examples: ['6f1d1f4e-0000-4000-8000-000000000001'] }),
  name: z.string().meta({ description: 'As its user calls it.', examples: ['Payments'] }),
  is_archived: z.boolean().meta({ description: 'True: disabled, with its configuration kept.' }),
  status: channelStatusSchema.meta({
    description:
      '`active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.',
  }),
  failed_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'When it was given up. Null otherwise.', examples: [null] }),
  failure_reason: z
    .string()
    .nullable()
    .meta({ description: 'Why it was given up. Null otherwise.', examples: [null] }),
  created_at: z.iso
    .datetime()
    .meta({ description: 'When it was created.', examples: ['2026-01-01T00:00:00.000Z'] }),
  updated_at: z.iso
    .datetime()
    .meta({ description: 'When it was changed last.', examples: ['2026-01-01T00:00:00.000Z'] }),
};

export const webhookChannelSchema = z
  .object({
    ...common,
    kind: z.literal('webhook').meta({ description: 'HTTP POST to a URL.' }),
    config: webhookConfigSchema.meta({ description: 'Where it delivers to, and what.' }),
  })
  .meta({ id: 'WebhookChannel' });
export const natsChannelSchema = z
  .object({
    ...common,
    kind: z.literal('nats').meta({ description: 'A NATS server.' }),
    config: natsConfigSchema.meta({ description: 'Where it delivers to, and what.' }),
  })
  .meta({ id: 'NatsChannel' });
export const telegramChannelSchema = z
  .object({
    ...common,
    kind: z.literal('telegram').meta({ description: 'A Telegram chat.' }),
    config: telegramConfigSchema.meta({ description: 'Where it delivers to, and what.' }),
  })
  .meta({ id: 'TelegramChannel' });
export const channelSchema = z
  .discriminatedUnion('kind', [webhookChannelSchema, natsChannelSchema, telegramChannelSchema])
  .meta({ id: 'NotificationChannel' });

/** The answer of creating a webhook channel: the only one that shows the secret. */
export const createdChannelSchema = webhookChannelSchema
  .extend({
    webhook_secret: z.string().meta({
      description: 'Signs the deliveries. Shown this once.',
      examples: ['svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST'],
    }),
  })
  .meta({ id: 'CreatedNotificationChannel' });

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
