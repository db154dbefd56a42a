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
  chain_gids: z
    .array(chainGidSchema)
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Only transactions of these chains.', examples: [['eip155:1']] }),
  asset_gids: z
    .array(assetGidSchema)
    .min(1)
    .max(100)
    .optional()
    .meta({
      description: 'Only transactions that move one of these assets.',
      examples: [['eip155:1/slip44:60']],
    }),
  address_ids: z
    .array(z.uuid())
    .min(1)
    .max(1_000)
    .optional()
    .meta({
      description: 'Only transactions of these addresses, by their `id`.',
      examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
    }),
  direction: z
    .enum(['in', 'out', 'self'])
    .optional()
    .meta({ description: 'Only transactions of that direction.' }),
  min_amount: positiveDecimalSchema
    .max(160)
    .optional()
    .meta({
      description: 'Only transactions with a transfer of at least that much, in whole units of its asset.',
      examples: ['0.01'],
    }),
});

/** Which events a channel of any kind gets: members of its create and update bodies. */
export const selectionInput = {
  event_types: z
    .array(eventTypeSchema)
    .min(1)
    .transform((types) => [...new Set(types)])
    .optional()
    .meta({
      description: 'Which events it gets; absent: those that the kind of channel gets by default.',
      examples: [['transaction.detected', 'transaction.confirmed']],
    }),
  filters: filtersSchema.optional().meta({ description: 'Which of them; all filters together decide.' }),
};

/** The same as stored and shown. */
export const selectionSchema = {
  event_types: z.array(z.string()).meta({
    description: 'Which events it gets.',
    examples: [['transaction.detected', 'transaction.confirmed']],
  }),
  filters: filtersSchema.meta({ description: 'Which of them; all filters together decide.' }),
};

/** Balance changes are on by default where nobody has to ask for them (decisions.md 1.9). */
export const defaultEventTypes = {
  webhook: ['transaction.detected', 'transaction.confirmed'],
  nats: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
  telegram: ['transaction.detected', 'transaction.confirmed', 'balance.changed'],
} as const;
