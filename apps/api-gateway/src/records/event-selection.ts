import { z } from 'zod';
import { positiveDecimalSchema } from '@chainwatch/amounts';
import { assetGidSchema, chainGidSchema } from '@chainwatch/caip';

export const eventTypeSchema = z.enum([
  'transaction.detected',
  'transaction.confirmed',
  'transaction.reorged',
  'transaction.failed',
  'balance.changed',
  'channel.failed',
]);

const filtersSchema = z.strictObject({
  chain_gids: z.array(chainGidSchema).min(1).max(100).optional(),
  asset_gids: z.array(assetGidSchema).min(1).max(100).optional(),
  address_ids: z.array(z.uuid()).min(1).max(1_000).optional(),
  direction: z.enum(['in', 'out', 'self']).optional(),
  /** Whole units of the asset. */
  min_amount: positiveDecimalSchema.max(160).optional(),
});

/** Which events a channel of any kind gets: members of its create and update bodies. */
export const selectionInput = {
  event_types: z
    .array(eventTypeSchema)
    .min(1)
    .transform((types) => [...new Set(types)])
    .optional(),
  filters: filtersSchema.optional(),
};

/** The same as stored and shown. */
export const selectionSchema = { event_types: z.array(z.string()), filters: filtersSchema };

/** Balance changes are on by default where nobody has to ask for them (decisions.md 1.9). */
export const defaultEventTypes = {
  webhook: ['transaction.detected', 'transaction.confirmed'],
  nats: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
  telegram: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
} as const;
