// SPDX-License-Identifier: Apache-2.0
import type { BlockTime, EndpointHealth } from '@chainwatch/chain-core';
import type { OwnedShare } from '@chainwatch/data/ownership';
import type { Sql } from '@chainwatch/data/db';

const BEAT_MS = 10_000;
const ERROR_LENGTH_MAX = 500;

interface BeatOptions {
  readonly share: OwnedShare;
  readonly chainGid: string;
  /** The head that the node reports. */
  readonly nodeHeadNumber: () => number | undefined;
  /** Undefined for a local chain. */
  readonly blockTime: () => Pick<BlockTime, 'measuredMs'> | undefined;
  /** The nodes that the chain is read from. */
  readonly listNodes: () => readonly EndpointHealth[];
}

/**
 * Writes every 10 s to the chain's row that it has an owner, the node's head, the measured block time, and how its nodes are. A row older than 30 s has no
 * owner, whatever its status says. A failed write does no harm: the row gets old, as it should. Returns a function
 * that stops it.
 */
export function startBeating({
  share,
  chainGid,
  nodeHeadNumber,
  blockTime,
  listNodes,
}: BeatOptions): () => void {
  const beat = (): Promise<unknown> =>
    share.transaction(async (sql) => {
      const nodes = listNodes().map(toNodeReport);
      await sql.query(
        `UPDATE ingestor_states SET updated_at = now(), node_head_number = coalesce($2, node_head_number), nodes = $3, nodes_at = now(), block_time_ms = coalesce($4, block_time_ms)
         WHERE chain_gid = $1`,
        [chainGid, nodeHeadNumber() ?? null, JSON.stringify(nodes), toInteger(blockTime()?.measuredMs)],
      );
      await countNodeHealth(sql, chainGid, nodes);
    });
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_MS);
  return () => clearInterval(timer);
}

/** As `ingestor_states.nodes` has it; the API shows it to the operator. */
function toNodeReport(health: EndpointHealth) {
  const { answeredAtMs, failedAtMs } = health;
  return {
    url: health.label,
    is_in_use: health.isPrimary,
    head_number: health.headNumber ?? null,
    latency_ms: health.headMs ?? null,
    last_success_at: toTime(answeredAtMs),
    last_error_at: toTime(failedAtMs),
    last_error: health.lastError?.slice(0, ERROR_LENGTH_MAX) ?? null,
  };
}

const toInteger = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms));

function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

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
