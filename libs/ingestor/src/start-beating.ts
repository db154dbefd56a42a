// SPDX-License-Identifier: Apache-2.0
import type { BlockTime, EndpointHealth } from '@chainwatch/chain-core';
import type { OwnedShare } from '@chainwatch/ownership';
import { countNodeHealth } from './count-node-health.ts';

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
