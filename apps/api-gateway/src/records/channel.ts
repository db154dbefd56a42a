import { z } from 'zod';
import { webhookConfigSchema } from './webhook-config.ts';

const channelStatusSchema = z.enum(['active', 'failing', 'failed', 'archived']);

export const channelSchema = z.object({
  id: z.uuid(),
  kind: z.literal('webhook'),
  name: z.string(),
  config: webhookConfigSchema,
  is_archived: z.boolean(),
  status: channelStatusSchema,
  failed_at: z.iso.datetime().nullable(),
  failure_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

/** The answer of creating a channel: the only one that shows the secret. */
export const createdChannelSchema = channelSchema.extend({ webhook_secret: z.string() });

export interface ChannelRow {
  readonly id: string;
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
  return {
    id: row.id,
    kind: 'webhook',
    name: row.name,
    config: webhookConfigSchema.parse(row.config),
    is_archived: row.isArchived,
    status: row.isArchived ? 'archived' : channelStatusSchema.parse(row.status),
    failed_at: row.failedAt?.toISOString() ?? null,
    failure_reason: row.failureReason,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
