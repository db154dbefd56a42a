// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { positiveDecimalSchema } from '@chainwatch/common/amounts';
import { assetGidSchema, chainGidSchema } from '@chainwatch/common/caip';
import { CHANGE_REASONS, defaultEventTypes, EVENT_TYPES, VERIFICATIONS } from '@chainwatch/events';
import { FORMATS } from './shape/shape-members.ts';

export const eventTypeSchema = z.enum(EVENT_TYPES);

/** A group of addresses by the user's name. It has no comma: lists are filtered by `groups=a,b`. */
export const groupNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^,]*$/, 'expected no comma');

const verifications = z
  .array(z.enum(VERIFICATIONS))
  .min(1)
  .max(VERIFICATIONS.length)
  .refine((values) => new Set(values).size === values.length, { error: 'expected each value once' })
  .optional()
  .meta({
    description:
      'Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.',
    examples: [['proved', 'agreed', 'attested']],
  });

const reasons = z
  .array(z.enum(CHANGE_REASONS))
  .min(1)
  .max(CHANGE_REASONS.length)
  .refine((values) => new Set(values).size === values.length, { error: 'expected each value once' })
  .optional()
  .meta({
    description:
      'Only `balance.changed` with a change of one of these reasons: if you credit by transactions, omit `transfer` and `fee`. `untold_reasons` of a blockchain lists the changes without a transaction. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.',
    examples: [['withdrawal', 'reward', 'mint', 'atomic', 'staking_reward', 'adjustment']],
  });

const memoText = z.string().min(1).max(1_024).optional();

const memos = {
  memo: memoText.meta({
    description:
      'Only transactions with this memo: the entire memo, one of its lines, or the memo of a transfer. Case-sensitive.',
    examples: ['order 1042'],
  }),
  memo_prefix: memoText.meta({
    description: 'The same for a memo that begins with it.',
    examples: ['order '],
  }),
};

const expression = z
  .string()
  .min(1)
  .max(2_000)
  .optional()
  .meta({
    description:
      'Only events for which this [CEL](https://cel.dev) expression over `event` is true, in addition to the other filters. Compare amounts with `amount()`, which is exact. Unknown names are refused with their line and column. An event without a member that the expression reads does not match, and counts in `expression_errors` of the channel.',
    examples: [
      'event.data.transaction.transfers.exists(t, t.type != "internal" && amount(t.amount) >= 1000)',
    ],
  });

const direction = z
  .enum(['in', 'out', 'self'])
  .optional()
  .meta({ description: 'Only transactions of that direction.' });

const filtersOf = (groupName: z.ZodString) =>
  z.strictObject({
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
        description:
          'Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.',
        examples: [['6f1d1f4e-0000-4000-8000-000000000001']],
      }),
    groups: z
      .array(groupName)
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Only events of addresses in one of these groups.', examples: [['shop-7']] }),
    metadata: z
      .record(z.string().min(1).max(128), z.union([z.string().max(1_024), z.number(), z.boolean()]))
      .refine((pairs) => Object.keys(pairs).length >= 1 && Object.keys(pairs).length <= 20, {
        error: 'expected 1 to 20 members',
      })
      .optional()
      .meta({
        description:
          'Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.',
        examples: [{ shop: '7' }],
      }),
    direction,
    min_amount: positiveDecimalSchema
      .max(160)
      .optional()
      .meta({
        description:
          'Only transactions with a transfer of at least this amount, in whole units of its asset; also those with a transfer whose decimals are unknown.',
        examples: ['0.01'],
      }),
    ...memos,
    verification: verifications,
    reasons,
    expression,
  });

const historical = z
  .boolean()
  .optional()
  .meta({
    description:
      'Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.',
    examples: [true],
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
      examples: [defaultEventTypes('payments')],
    }),
  filters: filtersOf(groupNameSchema)
    .optional()
    .meta({ description: 'Which of them; all filters together decide.' }),
  include_historical: historical,
};

/** The same as stored and shown. */
export const selectionSchema = {
  event_types: z.array(z.string()).meta({
    description: 'Which events it gets.',
    examples: [defaultEventTypes('payments')],
  }),
  // Channels of earlier releases may have groups with a comma.
  filters: filtersOf(z.string().min(1).max(64)).meta({
    description: 'Which of them; all filters together decide.',
  }),
  include_historical: historical,
};

const list = z.array(z.string()).nullish();

/**
 * Filters as stored, in every form that a release has written. The items of a list are alternatives; an empty
 * list filters nothing.
 */
const storedFiltersSchema = z.object({
  chain_gids: list,
  asset_gids: list,
  address_ids: list,
  groups: list,
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  direction: z.union([z.string(), z.array(z.string())]).nullish(),
  /** Whole units of the asset. */
  min_amount: z.string().nullish(),
  memo: z.string().nullish(),
  memo_prefix: z.string().nullish(),
  verification: list,
  reasons: list,
  expression: z.string().nullish(),
});
export type ChannelFilters = z.infer<typeof storedFiltersSchema>;

/** What the notifier reads of every config, whatever its kind. */
export const storedSelectionSchema = z.object({
  event_types: z.array(z.string()).nullish(),
  filters: storedFiltersSchema.nullish(),
  include_historical: z.boolean().nullish(),
  throttle_per_second: z.number().positive().nullish(),
  include_proof: z.string().nullish(),
  ordering: z.string().nullish(),
  ordering_key: z.string().nullish(),
  sandbox: z.boolean().nullish(),
  fields: z.array(z.string()).nullish(),
  // Of a newer release: nothing is sent in another format than the one that was chosen.
  format: z.enum(FORMATS).nullish(),
});
