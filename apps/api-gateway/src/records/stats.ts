// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { deliveryStatusSchema } from './delivery.ts';
import { latencySchema } from './latency.ts';

export const TRANSACTION_STATUSES = ['pending', 'detected', 'confirmed', 'reorged', 'failed'] as const;
export const CHANNEL_STATUSES = ['active', 'failing', 'failed', 'archived'] as const;

/** A count for each status, 0 included. */
function countsOf<S extends string>(statuses: readonly S[], description: string) {
  const shape = Object.fromEntries(
    statuses.map((status) => [
      status,
      z
        .int()
        .min(0)
        .meta({ description: `Those that are \`${status}\`.`, examples: [3] }),
    ]),
  ) as Record<S, z.ZodInt>;
  return z.object(shape).nullable().meta({ description });
}

export const statsSchema = z
  .object({
    address_count: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Addresses of the project. Null without `api:address:read`.', examples: [1200] }),
    transactions: countsOf(
      TRANSACTION_STATUSES,
      'Transactions by status. Null without `api:transaction:read`.',
    ),
    channels: countsOf(CHANNEL_STATUSES, 'Channels by status. Null without `api:notification_channel:read`.'),
    deliveries: countsOf(
      deliveryStatusSchema.options,
      'Deliveries that are kept, by status. Null without `api:delivery:read`.',
    ),
    events: z
      .object({
        since: z.iso.datetime().meta({
          description:
            'From here on the minutes are complete: an hour ago, or later where an hour has very many events.',
          examples: ['2026-01-01T00:00:00.000Z'],
        }),
        minutes: z
          .array(
            z.object({
              at: z.iso
                .datetime()
                .meta({ description: 'Its beginning.', examples: ['2026-01-01T00:00:00.000Z'] }),
              count: z.int().meta({ description: 'Events made in it.', examples: [12] }),
            }),
          )
          .meta({ description: 'Minutes with events, oldest first.' }),
      })
      .meta({ description: 'Events of the last hour, minute by minute.' }),
  })
  .meta({ id: 'Stats' });

export type Stats = z.infer<typeof statsSchema>;

/** Lengths of charts: so many points, each of so many minutes, from rows of so many minutes. */
export const PERIODS = {
  '1h': { points: 60, minutes: 1, unit: 1 },
  '24h': { points: 96, minutes: 15, unit: 1 },
  '7d': { points: 84, minutes: 120, unit: 60 },
  '30d': { points: 60, minutes: 720, unit: 60 },
} as const;
export type Period = keyof typeof PERIODS;
export const periodSchema = z.enum(Object.keys(PERIODS) as [Period, ...Period[]]).meta({
  description:
    'How far back: `1h` by the minute, `24h` by the quarter of an hour, `7d` by two hours, `30d` by half a day.',
  examples: ['24h'],
});

const attemptCount = z.int().min(0).nullable();

export const statsSeriesSchema = z
  .object({
    period: periodSchema,
    channel_id: z
      .uuid()
      .nullable()
      .meta({
        description: 'The channel that the deliveries are of. Null: all channels of the project.',
        examples: [null],
      }),
    step_seconds: z
      .int()
      .min(60)
      .meta({ description: 'Length of a point in seconds.', examples: [900] }),
    points: z
      .array(
        z.object({
          at: z.iso.datetime().meta({
            description: 'Its beginning. The last point is not over yet.',
            examples: ['2026-01-01T00:00:00.000Z'],
          }),
          events: z
            .int()
            .min(0)
            .nullable()
            .meta({
              description:
                'Events of the project that are kept, with history. Null for a single channel, and if the period has more than 5 million.',
              examples: [12],
            }),
          delivered: attemptCount.meta({
            description:
              'Deliveries that a receiver accepted. Test messages and rehearsals are not counted. Null without `api:delivery:read`.',
            examples: [12],
          }),
          failed_attempts: attemptCount.meta({
            description:
              'Attempts that failed, retries too. A request to wait (429) is none. Null without `api:delivery:read`.',
            examples: [1],
          }),
          success_rate: z
            .number()
            .min(0)
            .max(1)
            .nullable()
            .meta({
              description: 'Share of the attempts that were accepted, 0 to 1. Null where there was none.',
              examples: [0.9231],
            }),
          latency: latencySchema
            .pick({ mean_ms: true, p95_ms: true })
            .nullable()
            .meta({ description: 'How long the attempts took. Null where there was none.' }),
        }),
      )
      .meta({ description: 'All points of the period, the oldest first, empty ones too.' }),
  })
  .meta({ id: 'StatsSeries' });

export type StatsSeries = z.infer<typeof statsSeriesSchema>;
