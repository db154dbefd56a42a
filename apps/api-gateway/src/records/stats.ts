import { z } from 'zod';
import { deliveryStatusSchema } from './delivery.ts';

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
