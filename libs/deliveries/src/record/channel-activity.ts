// SPDX-License-Identifier: Apache-2.0
import { isUncounted } from '@chainwatch/channels';
import { LATENCY_BOUNDS_MS, latencyBucketOf, type Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import type { FinishedAttempt } from './decide-outcome.ts';

const FLUSH_MS = 5_000;
/** Lengths of a row's interval: charts of a day need minutes, those of a month hours. */
const UNITS = [1, 60] as const;
const MINUTE_MS = 60_000;
/** Rows kept at most while the database is away. */
const ROWS_MAX = 50_000;

interface ActivityRow {
  readonly channelId: string;
  readonly minutes: number;
  readonly at: Date;
  delivered: number;
  failed: number;
  latencyMs: number;
  readonly latencyCounts: number[];
}

export interface ChannelActivityDeps {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/**
 * Counts for charts how attempts ended, but for tests, rehearsals, and what was no fault of the receiver. It counts in memory,
 * and adds to `channel_activity` every 5 s: no delivery waits for it, and a killed process forgets its last seconds.
 */
export class ChannelActivity {
  readonly #deps: ChannelActivityDeps;
  readonly #timer: NodeJS.Timeout;
  #rows = new Map<string, ActivityRow>();
  #running: Promise<void> | undefined;

  constructor(deps: ChannelActivityDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS);
    this.#timer.unref();
  }

  add(finished: readonly FinishedAttempt[]): void {
    const now = this.#deps.now();
    for (const { job, attempt } of finished) {
      if (job.isTest || job.rehearsal !== undefined || isUncounted(attempt)) continue;
      const isDelivered = attempt.errorCode === undefined;
      for (const minutes of UNITS) {
        const spanMs = minutes * MINUTE_MS;
        const row = this.#rowOf(job.channelId, minutes, new Date(Math.floor(now / spanMs) * spanMs));
        if (row === undefined) continue;
        if (isDelivered) row.delivered += 1;
        else row.failed += 1;
        row.latencyMs += attempt.durationMs;
        row.latencyCounts[latencyBucketOf(attempt.durationMs)]! += 1;
      }
    }
  }

  /** Stores what is counted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    await this.#flush();
  }

  #rowOf(channelId: string, minutes: number, at: Date): ActivityRow | undefined {
    const key = `${channelId} ${minutes} ${at.getTime()}`;
    const known = this.#rows.get(key);
    if (known !== undefined || this.#rows.size >= ROWS_MAX) return known;
    const latencyCounts = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
    const row = { channelId, minutes, at, delivered: 0, failed: 0, latencyMs: 0, latencyCounts };
    this.#rows.set(key, row);
    return row;
  }

  #flush(): Promise<void> {
    return (this.#running ??= this.#write().finally(() => (this.#running = undefined)));
  }

  async #write(): Promise<void> {
    const { db, logger } = this.#deps;
    const rows = [...this.#rows.values()];
    this.#rows = new Map();
    if (rows.length === 0) return;
    try {
      await addActivity(db, rows);
    } catch (err) {
      logger.warn({ err }, 'failed to store channel activity, will retry');
      for (const row of rows) this.#addAgain(row);
    }
  }

  #addAgain({ channelId, minutes, at, ...counted }: ActivityRow): void {
    const row = this.#rowOf(channelId, minutes, at);
    if (row === undefined) return;
    row.delivered += counted.delivered;
    row.failed += counted.failed;
    row.latencyMs += counted.latencyMs;
    for (const [bucket, count] of counted.latencyCounts.entries()) row.latencyCounts[bucket]! += count;
  }
}

/** In one order, so that two replicas never wait for each other. Channels that were deleted meanwhile are passed over. */
async function addActivity(db: Sql, rows: readonly ActivityRow[]): Promise<void> {
  await db.query(
    `INSERT INTO channel_activity (channel_id, minutes, at, delivered, failed, latency_ms, latency_counts)
     SELECT u.channel_id, u.minutes, u.at, u.delivered, u.failed, u.latency_ms, u.latency_counts::bigint[]
     FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::float8[], $7::text[])
       AS u (channel_id, minutes, at, delivered, failed, latency_ms, latency_counts)
     JOIN notification_channels c ON c.id = u.channel_id ORDER BY u.channel_id, u.minutes, u.at
     ON CONFLICT (channel_id, minutes, at) DO UPDATE SET
       delivered = channel_activity.delivered + EXCLUDED.delivered, failed = channel_activity.failed + EXCLUDED.failed,
       latency_ms = channel_activity.latency_ms + EXCLUDED.latency_ms,
       latency_counts = (
         SELECT array_agg(coalesce(had, 0) + coalesce(more, 0) ORDER BY bucket)
         FROM unnest(channel_activity.latency_counts, EXCLUDED.latency_counts) WITH ORDINALITY AS counts (had, more, bucket))`,
    [
      rows.map(({ channelId }) => channelId),
      rows.map(({ minutes }) => minutes),
      rows.map(({ at }) => at),
      rows.map(({ delivered }) => delivered),
      rows.map(({ failed }) => failed),
      rows.map(({ latencyMs }) => latencyMs),
      // As text: unnest would take an array of arrays apart to the last number.
      rows.map(({ latencyCounts }) => `{${latencyCounts.join(',')}}`),
    ],
  );
}
