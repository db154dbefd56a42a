import type { Sql } from '@chainwatch/db';
import { isNewEvent, withoutRepeats } from '@chainwatch/outbox';
import { encodeTextArray } from './encode-text-array.ts';
import type { StoredEvent } from '../model/planned-event.ts';
import { SqlParams } from '../model/sql-params.ts';

/** Writes events into the outbox, in order. An event that is there already stays as it is. */
export async function insertEvents(sql: Sql, events: readonly StoredEvent[], isHeld: boolean): Promise<void> {
  if (events.length === 0) return;
  const params = new SqlParams();
  await sql.query({
    name: 'insert_events',
    text: insertEventsSql(params, events, isHeld),
    values: params.values,
  });
}

/** The statement, so that it can be part of a larger one. */
export function insertEventsSql(params: SqlParams, stored: readonly StoredEvent[], isHeld: boolean): string {
  const events = withoutRepeats(stored);
  const source = params.unnest(events, [
    ['uuid', (event) => event.eventId],
    ['uuid', (event) => event.projectId],
    ['text', (event) => event.chainGid],
    ['text', (event) => event.type],
    ['bigint', (event) => event.sequence],
    ['uuid', (event) => event.transactionId],
    ['text', (event) => event.subject],
    ['text', (event) => event.traceparent ?? null],
    // The time shown in the event: lists filter and sort by it.
    ['timestamptz', (event) => event.envelope.created_at],
  ]);
  const payloads = params.add(encodeTextArray(events.map((event) => event.payload)), 'text[]');
  return `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, transaction_id, subject_kind, traceparent, created_at, payload, is_held)
    SELECT *, ${params.add(isHeld, 'boolean')} FROM ROWS FROM (${source}, unnest(${payloads})) AS n (event_id)
    WHERE ${isNewEvent('n.event_id')} ON CONFLICT DO NOTHING`;
}
