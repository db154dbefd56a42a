// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { CHANNEL_KINDS, findChannelKind, type ChannelKind } from '@chainwatch/channels';
import { createdAtSchema, updatedAtSchema } from './recorded-times.ts';

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
    .meta({
      description: 'Why it failed, or why its deliveries fail. Null unless `failed` or `failing`.',
      examples: [null],
    }),
  failing_since: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Since when its deliveries fail. Null unless `failing`.', examples: [null] }),
  next_attempt_at: z.iso
    .datetime()
    .nullable()
    .meta({
      description:
        'When the oldest held delivery is tried next. Null unless `failing`: an active channel has the time at each delivery.',
      examples: [null],
    }),
  expression_errors: z
    .object({
      count: z.int().meta({ description: 'Events since the filters were set.', examples: [3] }),
      last_error: z
        .string()
        .meta({ description: 'Why, the last time.', examples: ['No such key: transaction'] }),
      last_at: z.iso
        .datetime()
        .meta({ description: 'When it happened last.', examples: ['2026-01-01T00:00:00.000Z'] }),
    })
    .nullable()
    .meta({
      description:
        'Events that were not sent because `filters.expression` failed for them, such as events without a member that it reads. Null: none.',
      examples: [null],
    }),
  created_at: createdAtSchema,
  updated_at: updatedAtSchema,
};

const schemas = new Map(
  CHANNEL_KINDS.map((kind) => [
    kind.kind,
    z
      .object({
        ...common,
        kind: z.literal(kind.kind).meta({ description: kind.docs.description }),
        config: kind.stored.meta({ description: 'Where it delivers to, and what.' }),
      })
      .meta({ id: `${kind.docs.title}Channel` }),
  ]),
);
type ChannelSchema = ReturnType<typeof channelSchemaOf>;

export const channelSchema = z
  .discriminatedUnion('kind', [...schemas.values()] as [ChannelSchema, ...ChannelSchema[]])
  .meta({ id: 'NotificationChannel' });

export function channelSchemaOf({ kind }: ChannelKind) {
  return schemas.get(kind)!;
}

const signingSecret = {
  webhook_secret: z.string().meta({
    description: 'Signs the deliveries. Shown this once.',
    examples: ['svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST'],
  }),
};
const createdSchemas = new Map(
  CHANNEL_KINDS.filter(({ isSigned }) => isSigned).map((kind) => [
    kind.kind,
    channelSchemaOf(kind)
      .extend(signingSecret)
      .meta({ id: `Created${kind.isDefault ? 'Notification' : kind.docs.title}Channel` }),
  ]),
);

/** The answer to creating a channel: the only one that shows its signing secret. */
export function createdChannelSchemaOf(kind: ChannelKind): z.ZodObject {
  return createdSchemas.get(kind.kind) ?? channelSchemaOf(kind);
}

export interface ChannelRow {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly config: unknown;
  readonly status: string;
  readonly isArchived: boolean;
  readonly failedAt: Date | null;
  readonly failureReason: string | null;
  readonly failingSince: Date | null;
  readonly probeAt: Date | null;
  readonly expressionErrors: {
    readonly count: bigint;
    readonly lastError: string;
    readonly lastAt: Date;
  } | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** @param row of a kind that this release knows */
export function toChannelRecord(row: ChannelRow): z.infer<typeof channelSchema> {
  return channelSchema.parse({
    id: row.id,
    kind: row.kind,
    name: row.name,
    config: findChannelKind(row.kind)!.show(row.config),
    is_archived: row.isArchived,
    status: row.isArchived ? 'archived' : row.status,
    failed_at: row.failedAt?.toISOString() ?? null,
    failure_reason: row.failureReason,
    ...describeProbes(row),
    expression_errors: row.expressionErrors && {
      count: Number(row.expressionErrors.count),
      last_error: row.expressionErrors.lastError,
      last_at: row.expressionErrors.lastAt.toISOString(),
    },
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  });
}

/** A failing channel gets its oldest held delivery again and again, until one arrives. */
function describeProbes({ status, isArchived, failingSince, probeAt }: ChannelRow): {
  failing_since: string | null;
  next_attempt_at: string | null;
} {
  const isFailing = status === 'failing' && !isArchived;
  return {
    failing_since: (isFailing && failingSince?.toISOString()) || null,
    next_attempt_at: (isFailing && probeAt?.toISOString()) || null,
  };
}
