// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@chainwatch/db';
import type { Logger } from '@chainwatch/telemetry';

export interface EventDaysDeps {
  readonly db: Database;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly retentionMs: number;
  readonly nowMs: number;
}

/** A partition whose events are all older than the retention. */
export interface OldDay {
  readonly number: number;
  /** Of its table. */
  readonly name: string;
  /** Its row ids: from, and up to but not including. */
  readonly from: number;
  readonly to: number;
  readonly closed_at: Date | null;
  readonly is_attached: boolean;
  /** A detachment was interrupted. */
  readonly is_detaching: boolean;
}

/** Clocks of those who gave events their time, and transactions that ran when the day ended. */
const SLACK_MS = 3_600_000;
/** Longer than any statement lasts that found the partition open. */
const CLOSING_MS = 60_000;
const LOOK_MS = 600_000;
const PAGE_ROWS = 500;
const PAUSE_MS = 20;

export async function findOldDays(db: Database, beforeMs: number): Promise<readonly OldDay[]> {
  const { rows } = await db.query<OldDay>(
    `SELECT p.number, event_partition_name(p.number) AS name, p.number * event_partition_rows() AS from, (p.number + 1) * event_partition_rows() AS to,
       p.closed_at, i.inhrelid IS NOT NULL AS is_attached, coalesce(i.inhdetachpending, false) AS is_detaching
     FROM event_partitions p
     LEFT JOIN pg_inherits i ON i.inhparent = 'event_log'::regclass AND i.inhrelid = to_regclass(event_partition_name(p.number))
     WHERE (SELECT min(n.began_at) FROM event_partitions n WHERE n.number > p.number) < $1 ORDER BY p.number`,
    [new Date(beforeMs - SLACK_MS)],
  );
  return rows;
}

/**
 * Closes the partition first. None of its events is sent again after that, so a partition that is not needed now will not be
 * needed later. Its keys stay, and its ids never come back.
 */
export async function dropEventDay(
  { db, nowMs }: EventDaysDeps,
  day: OldDay,
  changeSchema: (statements: readonly string[]) => Promise<void>,
): Promise<'closed' | 'needed' | 'dropped'> {
  if (day.closed_at === null) {
    await close(db, day, nowMs);
    return 'closed';
  }
  if (nowMs < day.closed_at.getTime() + CLOSING_MS) return 'closed';
  if (day.is_attached && !day.is_detaching) {
    if (await isNeeded(db, day)) return 'needed';
    await removePositions(db, day);
  }
  // What is interrupted goes on with the next pass.
  if (day.is_attached && !day.is_detaching)
    await db.query(`ALTER TABLE event_log DETACH PARTITION ${day.name} CONCURRENTLY`);
  await changeSchema([
    ...(day.is_detaching ? [`ALTER TABLE event_log DETACH PARTITION ${day.name} FINALIZE`] : []),
    `DROP TABLE IF EXISTS ${day.name}`,
    `DELETE FROM event_partitions WHERE number = ${day.number}`,
  ]);
  return 'dropped';
}

/** History that a channel has not taken for so long goes with its events. */
async function close(db: Database, { number, from, to }: OldDay, nowMs: number): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query('UPDATE event_partitions SET closed_at = $2 WHERE number = $1', [
      number,
      new Date(nowMs),
    ]);
    await sql.query('DELETE FROM historical_dispatches WHERE event_row_id >= $1 AND event_row_id < $2', [
      from,
      to,
    ]);
  });
}

/** Whether somebody has still to get one of its events. */
async function isNeeded(db: Database, { from, to }: OldDay): Promise<boolean> {
  return db.transaction(async (sql) => {
    await sql.query(`SET LOCAL statement_timeout = ${LOOK_MS}`);
    const { rows } = await sql.query<{ is_needed: boolean }>({
      // In one snapshot: what is open moves between pending and held.
      text: `SELECT EXISTS (SELECT FROM unpublished_events WHERE event_row_id >= $1 AND event_row_id < $2)
          OR EXISTS (SELECT FROM undispatched_events WHERE event_row_id >= $1 AND event_row_id < $2)
          OR EXISTS (SELECT FROM unpositioned_events WHERE event_row_id >= $1 AND event_row_id < $2)
          OR EXISTS (SELECT FROM event_log WHERE id >= $1 AND id < $2 AND is_held)
          OR EXISTS (SELECT FROM deliveries d JOIN event_keys k ON k.event_id = d.event_id
                     WHERE d.status IN ('pending', 'held') AND k.row_id >= $1 AND k.row_id < $2) AS is_needed`,
      values: [from, to],
      query_timeout: LOOK_MS,
    } as { text: string; values: unknown[] });
    return rows[0]!.is_needed;
  });
}

/** Before the events: a position without its event would be passed over in silence. */
async function removePositions(db: Database, { from, to }: OldDay): Promise<void> {
  for (let count = PAGE_ROWS; count === PAGE_ROWS; await delay(PAUSE_MS)) {
    const { rowCount } = await db.query(
      `DELETE FROM event_positions WHERE event_row_id IN (
         SELECT event_row_id FROM event_positions WHERE event_row_id >= $1 AND event_row_id < $2 ORDER BY event_row_id LIMIT ${PAGE_ROWS})`,
      [from, to],
    );
    count = rowCount ?? 0;
  }
}
