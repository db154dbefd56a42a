// SPDX-License-Identifier: Apache-2.0
/** What a receiver saw: events that were sent to it in one request, and those that it acknowledged. */
export interface Seen {
  readonly what: 'attempt' | 'acknowledgement';
  readonly eventIds: readonly string[];
}

/**
 * Which events were attempted while an earlier one of their line was not acknowledged: none in a strict order. Within a request
 * lines are in order, too.
 * @param lines events in their order, for each key
 */
export function findOvertakes(
  log: readonly Seen[],
  lines: readonly (readonly string[])[],
): { readonly eventId: string; readonly before: string }[] {
  const lineOf = new Map(lines.flatMap((line) => line.map((id) => [id, line] as const)));
  const acknowledged = new Set<string>();
  const overtakes: { eventId: string; before: string }[] = [];
  for (const { what, eventIds } of log) {
    const sent = new Set<string>();
    for (const eventId of eventIds) {
      const line = lineOf.get(eventId) ?? [];
      const before = line
        .slice(0, line.indexOf(eventId))
        .find((earlier) => !acknowledged.has(earlier) && !sent.has(earlier));
      if (what === 'attempt' && before !== undefined && !acknowledged.has(eventId))
        overtakes.push({ eventId, before });
      sent.add(eventId);
    }
    if (what === 'acknowledgement') for (const eventId of eventIds) acknowledged.add(eventId);
  }
  return overtakes;
}
