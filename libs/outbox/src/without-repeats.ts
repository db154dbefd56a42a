/** Each event once, in order: rows of one statement do not see each other. */
export function withoutRepeats<E extends { readonly eventId: string }>(events: readonly E[]): readonly E[] {
  const ids = new Set<string>();
  return events.filter(({ eventId }) => ids.size < ids.add(eventId).size);
}
