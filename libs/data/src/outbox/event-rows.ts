// SPDX-License-Identifier: Apache-2.0
import type { OwnData } from '@chainwatch/events';

/**
 * Condition of a statement that writes events: no row, in whatever partition and also of the past, has this event id. A
 * look-up row by row, never a join, so that rows keep their order.
 */
export const isNewEvent = (eventId: string): string =>
  `(SELECT true FROM event_keys k WHERE k.event_id = ${eventId}) IS NULL`;

/** Each event once, in order: rows of one statement do not see each other. */
export function withoutRepeats<E extends { readonly eventId: string }>(events: readonly E[]): readonly E[] {
  const ids = new Set<string>();
  return events.filter(({ eventId }) => ids.size < ids.add(eventId).size);
}

/** Longer than any text of jsonb whose JSON has 4 KiB: it has a space behind each comma and colon. */
const METADATA_TEXT_MAX = 8_192;

/** Columns of a row `a` of addresses that `ownDataOf` reads. Metadata that no event carries is not read. */
export const OWN_DATA_COLUMNS = `a.label, a.groups,
  CASE WHEN octet_length(a.metadata::text) <= ${METADATA_TEXT_MAX} THEN a.metadata END AS metadata`;

export interface OwnDataRow {
  readonly label: string | null;
  readonly groups: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export function ownDataOf({ label, groups, metadata }: OwnDataRow): OwnData {
  return { label, groups, metadata: metadata ?? undefined };
}
