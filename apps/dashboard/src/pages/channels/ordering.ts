/** Choices of the form, by value; `members` go into the body that creates the channel. */
export const ORDERINGS = {
  best_effort: { title: 'Best effort: retries come later', members: {} },
  channel: { title: 'Strict, for the whole channel', members: { ordering: 'strict' } },
  address: {
    title: 'Strict, for each address',
    members: { ordering: 'strict', ordering_key: 'address' },
  },
} as const;
export type OrderingChoice = keyof typeof ORDERINGS;

/** The order of a channel in words, from its config. */
export function describeOrdering({
  ordering,
  ordering_key: key,
}: {
  readonly ordering?: string | undefined;
  readonly ordering_key?: string | undefined;
}): string {
  if (ordering !== 'strict') return ORDERINGS.best_effort.title;
  return key === 'address' ? ORDERINGS.address.title : ORDERINGS.channel.title;
}
