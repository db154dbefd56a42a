// SPDX-License-Identifier: Apache-2.0
/** Choices of the form, by value; `members` go into the body of a channel. */
export const ORDERINGS = {
  best_effort: {
    title: 'Best effort: retries come later',
    members: { ordering: 'best_effort', ordering_key: 'channel' },
  },
  channel: {
    title: 'Strict, for the whole channel',
    members: { ordering: 'strict', ordering_key: 'channel' },
  },
  address: {
    title: 'Strict, for each address',
    members: { ordering: 'strict', ordering_key: 'address' },
  },
} as const;
export type OrderingChoice = keyof typeof ORDERINGS;

interface Ordered {
  readonly ordering?: string | undefined;
  readonly ordering_key?: string | undefined;
}

/** The choice that a channel has, from its config. */
export function toOrdering({ ordering, ordering_key: key }: Ordered): OrderingChoice {
  if (ordering !== 'strict') return 'best_effort';
  return key === 'address' ? 'address' : 'channel';
}

/** The order of a channel in words, from its config. */
export function describeOrdering(config: Ordered): string {
  return ORDERINGS[toOrdering(config)].title;
}
