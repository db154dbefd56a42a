// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@chainwatch/data/db';
import { ShareSupervisor, type ShareTiming } from '@chainwatch/data/ownership';
import { counter, gauge, type Logger, type WorkerHealth } from '@chainwatch/platform/telemetry';
import { forgetEventDays, keepEventDays } from './keep-event-days.ts';
import { REMOVALS, type RemovedKind } from './removals.ts';

/** How long each kind is kept, in milliseconds. */
export type Retention = Readonly<Record<RemovedKind, number>>;

const DAY_MS = 86_400_000;
export const DEFAULT_RETENTION: Retention = {
  events: 30 * DAY_MS,
  deliveries: 30 * DAY_MS,
  audit: 400 * DAY_MS,
  activity: 31 * DAY_MS,
};
/** Held deliveries live 14 days, and their events at least as long. */
export const RETENTION_MIN_MS = 15 * DAY_MS;

export interface RetentionDeps {
  readonly db: Database;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly retention: Retention;
  readonly health?: { readonly days: WorkerHealth; readonly rows: WorkerHealth };
  readonly now?: () => number;
  /** Between the ends and beginnings of two passes. */
  readonly intervalMs?: number;
  readonly timing?: Partial<ShareTiming> | undefined;
}

const INTERVAL_MS = 600_000;
const PAGE_ROWS = 500;
/** Between two pages, so that what is urgent finds the disk idle: still 10,000 rows a second. */
const PAUSE_MS = 20;

const removed = counter('chainwatch_retention_removed_total', {
  description: 'Rows that were older than their retention and went, by kind.',
});
const finishedAt = gauge('chainwatch_retention_finished_timestamp_seconds', {
  description: 'When the last pass that removed what was old ended, by kind.',
});

/**
 * Removes what is older than its retention, on one replica (row of `owners`, kind `retention`). Nobody waits for it: each
 * statement removes some rows that nobody uses any more. @returns stop
 */
export function startRetention(deps: RetentionDeps): () => Promise<void> {
  const { db, logger, timing, intervalMs = INTERVAL_MS } = deps;
  const supervisor = new ShareSupervisor({
    db,
    kind: 'retention',
    logger,
    listShares: () => Promise.resolve(new Map([['all', 'all']])),
    work: async ({ signal }) => {
      const repeat = async (pass: () => Promise<void>): Promise<void> => {
        while (!signal.aborted) {
          await pass();
          await delay(intervalMs, undefined, { signal }).catch(() => undefined);
        }
      };
      // A day begins in time, however many rows are removed meanwhile.
      await Promise.all([
        repeat(() => keepDays(deps)),
        repeat(async () => {
          let isDone = true;
          for (const kind of Object.keys(REMOVALS) as RemovedKind[])
            isDone = (await removeKind(deps, kind, signal)) && isDone;
          if (isDone) deps.health?.rows.succeed();
        }),
      ]);
      for (const kind of Object.keys(REMOVALS)) finishedAt.forget({ kind });
      forgetEventDays();
    },
    timing,
  });
  return () => supervisor.stop();
}

/** Never rejects: what is left is done by the next pass. */
async function keepDays(deps: RetentionDeps): Promise<void> {
  const { db, logger, retention, health } = deps;
  try {
    await keepEventDays({ db, logger, retentionMs: retention.events, nowMs: await readNow(deps) });
    health?.days.succeed();
  } catch (err) {
    health?.days.fail('failed to maintain event partitions');
    logger.warn({ err }, 'failed to maintain event partitions');
  }
}

/** The earlier of two clocks: what goes is too old by the database's and by this process's, so no clock that jumped decides. */
async function readNow({ db, now = Date.now }: RetentionDeps): Promise<number> {
  const { rows } = await db.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return Math.min(now(), rows[0]!.now.getTime());
}

/** Whether all went. Never rejects: what is left is removed by the next pass. */
async function removeKind(deps: RetentionDeps, kind: RemovedKind, signal: AbortSignal): Promise<boolean> {
  const { db, logger, retention, health } = deps;
  let after: string | undefined;
  let count = 0;
  try {
    const before = new Date((await readNow(deps)) - retention[kind]);
    do {
      const page = await REMOVALS[kind](db, { after, before, limit: PAGE_ROWS });
      removed.add(page.count, { kind });
      count += page.count;
      after = page.next;
      if (after !== undefined) await delay(PAUSE_MS);
    } while (after !== undefined && !signal.aborted);
    finishedAt.set(Date.now() / 1_000, { kind });
    if (count > 0) logger.info({ kind, count, before }, 'rows older than their retention were removed');
    return true;
  } catch (err) {
    health?.rows.fail(`failed to remove expired ${kind}`);
    logger.warn({ err, kind }, 'failed to remove expired rows');
    return false;
  }
}
