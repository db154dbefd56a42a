// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Sql } from '@chainwatch/data/db';
import { ShareSupervisor, type ShareTiming } from '@chainwatch/data/ownership';
import { gauge, type Logger, type WorkerHealth } from '@chainwatch/platform/telemetry';

interface BacklogWatchDeps {
  readonly db: Database;
  /** Uses indexes whatever the statistics say (keepsPlans). */
  readonly planned: Database;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly health?: WorkerHealth;
  readonly intervalMs?: number;
  readonly timing?: Partial<ShareTiming> | undefined;
}

const INTERVAL_MS = 15_000;
const STATUSES = ['active', 'failing', 'failed'] as const;

const rows = gauge('chainwatch_backlog_rows', {
  description:
    'What waits at a stage: events, readings of balances or deliveries; 100,000 means that many or more.',
});
const ages = gauge('chainwatch_backlog_age_seconds', {
  description: 'Since when the oldest of them waits; 0: none does.',
});
const channels = gauge('chainwatch_channels', { description: 'Channels that are not archived, by status.' });

/**
 * Looks over and over at what waits in the database, on one replica (row of `owners`, kind `backlogs`). What it cannot
 * read it does not tell. @returns stop
 */
export function startBacklogWatch(deps: BacklogWatchDeps): () => Promise<void> {
  const { db, logger, timing, intervalMs = INTERVAL_MS } = deps;
  const supervisor = new ShareSupervisor({
    db,
    kind: 'backlogs',
    logger,
    listShares: () => Promise.resolve(new Map([['all', 'all']])),
    work: async ({ signal }) => {
      while (!signal.aborted) {
        await look(deps);
        await delay(intervalMs, undefined, { signal }).catch(() => undefined);
      }
      forget();
    },
    timing,
  });
  return () => supervisor.stop();
}

async function look({ db, planned, logger, health }: BacklogWatchDeps): Promise<void> {
  try {
    for (const stage of STAGES) tell(stage, await readBacklog(planned, stage));
    const counts = await countChannels(db);
    for (const status of STATUSES) channels.set(counts.get(status) ?? 0, { status });
    health?.succeed();
  } catch (err) {
    forget();
    health?.fail('failed to read delivery backlog');
    logger.warn({ err }, 'failed to read delivery backlog');
  }
}

function tell(stage: string, backlog: Backlog): void {
  rows.set(backlog.rows, { stage });
  ages.set(backlog.ageSeconds, { stage });
}

function forget(): void {
  for (const stage of STAGES) for (const each of [rows, ages]) each.forget({ stage });
  for (const status of STATUSES) channels.forget({ status });
}

/** Where events wait, in the order of their way. */
export const STAGES = [
  'outbox',
  'balances',
  'positions',
  'dispatch',
  'deliveries_due',
  'deliveries_held',
] as const;
export type Stage = (typeof STAGES)[number];

export interface Backlog {
  /** At most `ROWS_MAX`, which means that many or more. */
  readonly rows: number;
  /** Since the oldest one waits, or nothing that is due was tried of its channel; 0: none does. */
  readonly ageSeconds: number;
}

export const ROWS_MAX = 100_000;
/** Held events and events of inactive chains wait for a reason. At most this many are skipped to find the oldest other one. */
const PASSED_MAX = 10_000;

/** By the order of its index; nothing is read beyond ROWS_MAX entries. */
const countRows = (from: string): string =>
  `(SELECT count(*) FROM (SELECT FROM ${from} LIMIT ${ROWS_MAX}) q)`;
const ageOfEvent = (queue: string, waits: string): string => `(
  SELECT q.created_at FROM (SELECT event_row_id FROM ${queue} ORDER BY event_row_id LIMIT ${PASSED_MAX}) u
  CROSS JOIN LATERAL (SELECT created_at, is_held, chain_gid FROM event_log WHERE id = u.event_row_id OFFSET 0) q
  WHERE ${waits} ORDER BY u.event_row_id LIMIT 1)`;
const DUE = `status = 'pending' AND next_attempt_at < clock_timestamp()`;
const UNTRIED = `status IN ('pending', 'held') AND attempt_count = 0 AND NOT is_test`;
const AGAIN = `status IN ('pending', 'held') AND (attempt_count > 0 OR is_test)`;
/** Rows before the first one that waits, of which the last that was tried says when the channel's owner got on. */
const TRIED_MAX = 50;
/**
 * Since when nothing of a channel was tried that is due. A receiver that is slow, or has a throttle, is no reason to call
 * anybody: what it has left to get may be due for days. It goes from channel to channel in the indexes.
 */
const SINCE_TRIED = `(WITH RECURSIVE ${['untried', 'again']
  .map((name) => {
    const next = (after: string): string =>
      `SELECT channel_id FROM deliveries WHERE ${name === 'again' ? AGAIN : UNTRIED} ${after} ORDER BY channel_id LIMIT 1`;
    return `${name} (channel_id) AS ((${next('')}) UNION ALL SELECT (${next(`AND channel_id > ${name}.channel_id`)}) FROM ${name} WHERE channel_id IS NOT NULL)`;
  })
  .join(', ')}
  SELECT min(greatest(due.at, tried.at)) FROM (SELECT channel_id FROM untried UNION SELECT channel_id FROM again) c
  LEFT JOIN LATERAL (SELECT next_attempt_at, created_at FROM deliveries
    WHERE channel_id = c.channel_id AND NOT is_historical AND ${UNTRIED} AND ${DUE} ORDER BY id LIMIT 1) first ON true
  CROSS JOIN LATERAL (SELECT least(first.next_attempt_at, (SELECT next_attempt_at FROM deliveries
    WHERE channel_id = c.channel_id AND ${AGAIN} AND ${DUE} ORDER BY next_attempt_at, id LIMIT 1)) AS at) due
  CROSS JOIN LATERAL (SELECT max(updated_at) AS at FROM (SELECT updated_at, attempt_count FROM deliveries
    WHERE channel_id = c.channel_id AND created_at <= coalesce(first.created_at, 'infinity') ORDER BY created_at DESC, id DESC LIMIT ${TRIED_MAX}) t WHERE attempt_count > 0) tried
  WHERE due.at IS NOT NULL)`;

/** What is counted, and the time of the oldest row. */
const QUERIES: Readonly<Record<Stage, readonly [count: string, oldest: string]>> = {
  outbox: [
    countRows('unpublished_events'),
    ageOfEvent(
      'unpublished_events',
      'NOT q.is_held AND (SELECT is_active FROM blockchains WHERE gid = q.chain_gid)',
    ),
  ],
  // A large import takes as long as it takes.
  balances: [
    countRows('balance_reads'),
    `(SELECT min(r.created_at) FROM blockchains b
      CROSS JOIN LATERAL (SELECT created_at FROM balance_reads WHERE chain_gid = b.gid AND reason <> 'imported' ORDER BY id LIMIT 1) r
      WHERE b.is_active)`,
  ],
  positions: [
    countRows('unpositioned_events'),
    `(SELECT min(e.created_at) FROM generate_series(0, 63) AS s (share)
      CROSS JOIN LATERAL (SELECT event_row_id FROM unpositioned_events u WHERE u.share = s.share ORDER BY event_row_id LIMIT 1) u
      CROSS JOIN LATERAL (SELECT created_at FROM event_log WHERE id = u.event_row_id OFFSET 0) e)`,
  ],
  dispatch: [countRows('undispatched_events'), ageOfEvent('undispatched_events', 'NOT q.is_held')],
  deliveries_due: [countRows(`deliveries WHERE ${DUE}`), SINCE_TRIED],
  deliveries_held: [
    countRows(`deliveries WHERE status = 'held'`),
    `(SELECT min(d.created_at) FROM notification_channels c
      CROSS JOIN LATERAL (SELECT created_at FROM deliveries WHERE channel_id = c.id AND status = 'held' ORDER BY id LIMIT 1) d
      WHERE NOT c.is_archived)`,
  ],
};

/** @param planned a database that uses indexes whatever the statistics say (keepsPlans) */
export async function readBacklog(planned: Sql, stage: Stage): Promise<Backlog> {
  const [count, oldest] = QUERIES[stage];
  const { rows } = await planned.query<{ rows: number; age: number }>({
    name: `backlog_${stage}`,
    text: `SELECT ${count} AS rows, greatest(0, coalesce(extract(epoch FROM clock_timestamp() - ${oldest}), 0))::float8 AS age`,
  });
  return { rows: rows[0]!.rows, ageSeconds: rows[0]!.age };
}

/** Channels that are not archived, by status. */
async function countChannels(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ status: string; count: number }>(
    'SELECT status, count(*) AS count FROM notification_channels WHERE NOT is_archived GROUP BY status',
  );
  return new Map(rows.map(({ status, count }) => [status, count]));
}
