/**
 * Condition of a statement that writes events: no row, in whatever partition and also of the past, has this event id. A
 * look-up row by row, never a join, so that rows keep their order.
 */
export const isNewEvent = (eventId: string): string =>
  `(SELECT true FROM event_keys k WHERE k.event_id = ${eventId}) IS NULL`;
