// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@chainwatch/data/db';
import { counter, gauge, type Logger } from '@chainwatch/platform/telemetry';

const DAY_MS = 86_400_000;
/** Days that are made ahead. Without any the day goes on, and writers with it. */
const DAYS_AHEAD = 4;
/** Changes of the schema wait for nobody, so that nobody waits behind them. */
const LOCK_MS = 50;
const TRIES = 20;

const beganAt = gauge('chainwatch_event_day_began_timestamp_seconds', {
  description: 'When the partition that new events go to began.',
});
const daysAhead = gauge('chainwatch_event_days_ahead', {
  description: 'Partitions of events that were made ahead.',
});
const dropped = counter('chainwatch_event_days_dropped_total', {
  description: 'Partitions of events that were older than their retention and went.',
});

/**
 * Makes partitions of events ahead, begins one with each day (UTC), and drops those whose events are all older than the
 * retention. Any number of processes may do it at once, and each step may be left undone by a kill.
 */
export async function keepEventDays(deps: EventDaysDeps): Promise<void> {
  const { db, logger, nowMs } = deps;
  const { ahead } = await readDays(db);
  for (let made = ahead; made < DAYS_AHEAD; made += 1)
    await changeSchema(db, ['SELECT add_event_partition()']);
  if (isNewDay(await readDays(db), nowMs))
    await db.query('SELECT begin_event_partition($1)', [new Date(nowMs)]);
  const days = await readDays(db);
  beganAt.set(days.beganMs / 1_000);
  daysAhead.set(days.ahead);
  for (const day of await findOldDays(db, nowMs - deps.retentionMs)) {
    const outcome = await dropEventDay(deps, day, (statements) => changeSchema(db, statements));
    if (outcome === 'needed')
      logger.info(
        { partition: day.name },
        'a day of events past its retention was kept because one was still to be delivered or published',
      );
    if (outcome !== 'dropped') continue;
    dropped.add(1);
    logger.info({ partition: day.name }, 'a day of events older than their retention was dropped');
  }
}

/** Another process tells of them now. */
export function forgetEventDays(): void {
  beganAt.forget();
  daysAhead.forget();
}

interface Days {
  /** The partition that new rows go to. */
  readonly number: number;
  readonly beganMs: number;
  readonly ahead: number;
}

async function readDays(db: Database): Promise<Days> {
  const { rows } = await db.query<{ number: number; began_at: Date; ahead: number }>(
    `SELECT number, began_at, (SELECT count(*) FROM event_partitions WHERE began_at IS NULL) AS ahead
     FROM event_partitions WHERE began_at IS NOT NULL ORDER BY number DESC LIMIT 1`,
  );
  const { number, began_at, ahead } = rows[0]!;
  return { number, beganMs: began_at.getTime(), ahead };
}

/**
 * The first partition is where services of the release before write, so it lasts until a whole day behind the migration: by
 * then they are replaced (docs/guides/upgrade.md).
 */
function isNewDay({ number, beganMs, ahead }: Days, nowMs: number): boolean {
  const days = Math.floor(nowMs / DAY_MS) - Math.floor(beganMs / DAY_MS);
  return ahead > 0 && days >= (number === 0 ? 2 : 1);
}

/** All statements or none. @throws the last error when locks could not be had again and again */
async function changeSchema(db: Database, statements: readonly string[]): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await db.transaction(async (sql) => {
        await sql.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
        for (const statement of statements) await sql.query(statement);
      });
    } catch (err) {
      if ((err as { code?: string }).code !== LOCK_NOT_AVAILABLE || failures >= TRIES) throw err;
      await delay(LOCK_MS);
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

interface EventDaysDeps {
  readonly db: Database;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly retentionMs: number;
  readonly nowMs: number;
}

/** A partition whose events are all older than the retention. */
interface OldDay {
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

async function findOldDays(db: Database, beforeMs: number): Promise<readonly OldDay[]> {
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
async function dropEventDay(
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
