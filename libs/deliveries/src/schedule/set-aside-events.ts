import type { Sql } from '@chainwatch/db';
import { RETRY_EVERY, setAside, type Poison } from '@chainwatch/quarantine';

/** `dispatch`: no deliveries can be made of the event. `records`: what came of an attempt to deliver it cannot be stored. */
type Step = 'dispatch' | 'records';

interface NamedEvent {
  readonly event_id: string;
  readonly project_id: string;
  readonly chain_gid: string;
  readonly number: number;
  readonly hash: string;
}

/** Names events with which a step fails even alone, to their projects. Those without a chain have no incident: returns them. */
export async function setAsideEvents<E extends { readonly eventId: string }>(
  db: Sql,
  step: Step,
  poison: readonly Poison<E>[],
): Promise<readonly Poison<E>[]> {
  const { rows } = await db.query<NamedEvent>(
    `SELECT e.event_id, e.project_id, e.chain_gid, coalesce(t.block_number, 0) AS number, coalesce(t.block_hash, '') AS hash
     FROM event_keys k JOIN event_log e ON e.id = k.row_id JOIN blockchains b ON b.gid = e.chain_gid LEFT JOIN transactions t ON t.id = e.transaction_id
     WHERE k.event_id = ANY($1::uuid[])`,
    [poison.map(({ item }) => item.eventId)],
  );
  const errorOf = new Map(poison.map(({ item, error }) => [item.eventId, error]));
  for (const { event_id: id, project_id: projectId, chain_gid: chainGid, number, hash } of rows)
    await setAside(db, chainGid, [
      {
        ...{ step, projectId, error: errorOf.get(id) },
        subject: { type: 'event', id },
        block: { number, hash },
      },
    ]);
  const named = new Set(rows.map(({ event_id }) => event_id));
  return poison.filter(({ item }) => !named.has(item.eventId));
}

/** After a start all of them are tried again. */
export async function retryEvents(db: Sql): Promise<void> {
  await db.query(
    `UPDATE incidents SET retry_at = clock_timestamp() WHERE kind IN ('poison:dispatch', 'poison:records') AND status = 'quarantined'`,
  );
}

/** Ends the incidents of events that were dispatched meanwhile, or are gone. */
export async function endDispatched(db: Sql): Promise<void> {
  await db.query({
    name: 'end_set_aside_events',
    text: `UPDATE incidents i SET status = 'resolved', resolved_at = now()
      WHERE kind = 'poison:dispatch' AND status = 'quarantined' AND NOT EXISTS (
        SELECT FROM event_keys k JOIN undispatched_events u ON u.event_row_id = k.row_id WHERE k.event_id = i.subject_id::uuid)`,
  });
}

/** Puts off a delivery of which no outcome can be stored: else it would be sent again and again. It holds back nothing. */
export async function putOffDelivery(db: Sql, id: string): Promise<void> {
  await db.query(
    `UPDATE deliveries SET next_attempt_at = now() + ${RETRY_EVERY}, last_error = 'internal_error' WHERE id = $1 AND status = 'pending'`,
    [id],
  );
}

/** Ends the incidents of events whose deliveries are done; makes due what was put off and is to be tried again. */
export async function retryPutOff(db: Sql): Promise<void> {
  const own = `SELECT FROM notification_channels c JOIN deliveries d ON d.channel_id = c.id AND d.event_id = i.subject_id::uuid
    WHERE c.project_id = i.project_id AND d.status IN ('pending', 'held')`;
  await db.query({
    name: 'end_put_off',
    text: `UPDATE incidents i SET status = 'resolved', resolved_at = now()
      WHERE kind = 'poison:records' AND status = 'quarantined' AND NOT EXISTS (${own})`,
  });
  await db.query({
    name: 'retry_put_off',
    text: `WITH due AS (
        UPDATE incidents SET retry_at = clock_timestamp() + ${RETRY_EVERY}
        WHERE kind = 'poison:records' AND status = 'quarantined' AND retry_at <= clock_timestamp() RETURNING project_id, subject_id::uuid AS event_id)
      UPDATE deliveries d SET next_attempt_at = now() FROM due JOIN notification_channels c ON c.project_id = due.project_id
      WHERE d.channel_id = c.id AND d.event_id = due.event_id AND d.status = 'pending' AND d.next_attempt_at > now()`,
  });
}
