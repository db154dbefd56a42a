// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@chainwatch/db';
import { counter, gauge } from '@chainwatch/telemetry';
import { dropEventDay, findOldDays, type EventDaysDeps } from './drop-event-day.ts';

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
