// SPDX-License-Identifier: Apache-2.0
/** Condition of a statement that sends an event again: its row is there and about to stay. Looked up row by row, never joined. */
export const isEventKept = (eventId: string): string =>
  `(SELECT true FROM event_keys k WHERE k.event_id = ${eventId} AND k.row_id >= (SELECT kept_events_from())
    AND (SELECT true FROM event_log e WHERE e.id = k.row_id))`;
