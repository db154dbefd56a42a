import type { Sql } from '@chainwatch/db';
import { isNewEvent, withoutRepeats } from '@chainwatch/outbox';
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

const TEXT_OID = 25;
const HEADER_BYTES = 20;

/**
 * A `text[]` in PostgreSQL's binary format (array_recv: dimensions, has-null flag, element type, length, lower bound,
 * then each element's length and bytes). The driver sends a buffer as it is, where an array of long texts would be
 * escaped character by character into one huge string.
 */
function encodeTextArray(texts: readonly string[]): Buffer {
  const byteLengths = texts.map((text) => Buffer.byteLength(text));
  const buffer = Buffer.allocUnsafe(
    HEADER_BYTES + byteLengths.reduce((total, bytes) => total + 4 + bytes, 0),
  );
  let at = buffer.writeInt32BE(1, 0);
  at = buffer.writeInt32BE(0, at);
  at = buffer.writeInt32BE(TEXT_OID, at);
  at = buffer.writeInt32BE(texts.length, at);
  at = buffer.writeInt32BE(1, at);
  for (const [position, text] of texts.entries()) {
    at = buffer.writeInt32BE(byteLengths[position]!, at);
    at += buffer.write(text, at);
  }
  return buffer;
}
