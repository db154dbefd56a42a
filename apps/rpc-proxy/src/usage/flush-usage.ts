// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Sql } from '@chainwatch/data/db';
import { counter } from '@chainwatch/platform/telemetry';
import type { UsageRecorder, UsageRow } from './usage-recorder.ts';

const INTERVAL_MS = 2_000;
/** Rows kept at most while the database is away. */
const PENDING_MAX = 100_000;

const requests = counter('chainwatch_rpc_requests_total', { description: 'Calls by chain' });
const failures = counter('chainwatch_rpc_failures_total', {
  description: 'Calls that the gateway refused or no node answered',
});
const cached = counter('chainwatch_rpc_cached_total', { description: 'Calls answered without a node' });
const bytes = counter('chainwatch_rpc_sent_bytes_total', { description: 'Bytes of replies' });

export interface UsageFlusher {
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Adds what was counted to the metrics and, per hour, to the rows in the database. */
export function startUsageFlusher(
  recorder: UsageRecorder,
  db: Sql,
  logger: Pick<Logger, 'warn'>,
): UsageFlusher {
  const pending = new Map<string, UsageRow & { hour: Date }>();
  let running: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000);
    for (const row of recorder.collect()) {
      observe(row);
      addTo(pending, row, hour);
    }
    if (pending.size === 0) return;
    const rows = [...pending.values()];
    pending.clear();
    try {
      await insertUsage(db, rows);
    } catch (error) {
      logger.warn({ err: error }, 'failed to store usage, will retry');
      for (const row of rows) addTo(pending, row, row.hour);
    }
  };
  const flush = (): Promise<void> => (running ??= write().finally(() => (running = undefined)));
  const timer = setInterval(() => void flush(), INTERVAL_MS);
  timer.unref();
  return {
    flush: async () => {
      await running;
      await flush();
    },
    async stop() {
      clearInterval(timer);
      await running;
      await flush();
    },
  };
}

/** Without the method: callers choose names, which many series would be of. GET /management/usage has calls by method. */
function observe({ chainGid, ...row }: UsageRow): void {
  const labels = { chain_gid: chainGid };
  if (row.requests > 0) requests.add(row.requests, labels);
  if (row.failures > 0) failures.add(row.failures, labels);
  if (row.cached > 0) cached.add(row.cached, labels);
  if (row.bytesOut > 0) bytes.add(row.bytesOut, labels);
}

function addTo(pending: Map<string, UsageRow & { hour: Date }>, row: UsageRow, hour: Date): void {
  const key = `${row.keyId} ${row.chainGid} ${row.method} ${hour.getTime()}`;
  const known = pending.get(key);
  if (known === undefined) {
    if (pending.size < PENDING_MAX) pending.set(key, { ...row, hour });
    return;
  }
  known.requests += row.requests;
  known.failures += row.failures;
  known.cached += row.cached;
  known.bytesIn += row.bytesIn;
  known.bytesOut += row.bytesOut;
  known.latencyMs += row.latencyMs;
  for (const [bucket, count] of row.latencyCounts.entries()) known.latencyCounts[bucket]! += count;
}

/** Rows of services of the release before have no counts: theirs are taken as zeros. */
const INSERT_SQL = `
  INSERT INTO rpc_usage (key_id, workspace_id, chain_gid, method, hour, requests, failures, cached, bytes_in, bytes_out, latency_ms, latency_counts)
  SELECT key_id, workspace_id, chain_gid, method, hour, requests, failures, cached, bytes_in, bytes_out, latency_ms, latency_counts::bigint[]
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::float8[], $12::text[])
    AS counted (key_id, workspace_id, chain_gid, method, hour, requests, failures, cached, bytes_in, bytes_out, latency_ms, latency_counts)
  ON CONFLICT (key_id, hour, chain_gid, method) DO UPDATE SET
    requests = rpc_usage.requests + EXCLUDED.requests, failures = rpc_usage.failures + EXCLUDED.failures, cached = rpc_usage.cached + EXCLUDED.cached,
    bytes_in = rpc_usage.bytes_in + EXCLUDED.bytes_in, bytes_out = rpc_usage.bytes_out + EXCLUDED.bytes_out,
    latency_ms = rpc_usage.latency_ms + EXCLUDED.latency_ms,
    latency_counts = (
      SELECT array_agg(coalesce(had, 0) + coalesce(more, 0) ORDER BY bucket)
      FROM unnest(rpc_usage.latency_counts, EXCLUDED.latency_counts) WITH ORDINALITY AS counts (had, more, bucket))`;

async function insertUsage(db: Sql, rows: readonly (UsageRow & { hour: Date })[]): Promise<void> {
  const column = (name: keyof (UsageRow & { hour: Date })): unknown[] => rows.map((row) => row[name]);
  await db.query(INSERT_SQL, [
    column('keyId'),
    column('workspaceId'),
    column('chainGid'),
    column('method'),
    column('hour'),
    column('requests'),
    column('failures'),
    column('cached'),
    column('bytesIn'),
    column('bytesOut'),
    column('latencyMs'),
    // As text: unnest would take an array of arrays apart to the last number.
    rows.map(({ latencyCounts }) => `{${latencyCounts.join(',')}}`),
  ]);
}
