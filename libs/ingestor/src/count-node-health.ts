// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';

/** A node as its report tells it. */
interface ReportedNode {
  readonly url: string;
  readonly latency_ms: number | null;
  /** RFC 3339. */
  readonly last_success_at: string | null;
  readonly last_error_at: string | null;
}

/** Counts how the nodes are now into the current quarter of an hour, and drops what is older than 24 hours. */
export async function countNodeHealth(
  sql: Sql,
  chainGid: string,
  nodes: readonly ReportedNode[],
): Promise<void> {
  const asked = nodes.filter((node) => node.last_success_at !== null || node.last_error_at !== null);
  const counted = asked.map((node) => {
    const isFailing = node.last_error_at !== null && (node.last_success_at ?? '') < node.last_error_at;
    return { url: node.url, failures: isFailing ? 1 : 0, latency_ms: isFailing ? null : node.latency_ms };
  });
  // Two nodes may share a host: their URLs differ in what is not shown.
  await sql.query(
    `WITH dropped AS (DELETE FROM chain_node_health WHERE chain_gid = $1 AND at < now() - interval '24 hours')
     INSERT INTO chain_node_health AS h (chain_gid, url, at, samples, failures, latencies, latency_ms_sum)
     SELECT $1, n.url, date_bin('15 minutes', now(), 'epoch'), count(*), sum(n.failures), count(n.latency_ms), coalesce(sum(n.latency_ms), 0)
     FROM jsonb_to_recordset($2::jsonb) AS n (url text, failures integer, latency_ms double precision) GROUP BY n.url
     ON CONFLICT (chain_gid, url, at) DO UPDATE SET samples = h.samples + EXCLUDED.samples, failures = h.failures + EXCLUDED.failures,
       latencies = h.latencies + EXCLUDED.latencies, latency_ms_sum = h.latency_ms_sum + EXCLUDED.latency_ms_sum`,
    [chainGid, JSON.stringify(counted)],
  );
}
