import type { Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { Target } from './target.ts';

const BATCH = 500;
/** Assets that an import asks for on suspicion, the oldest of the chain first. */
const SUSPECTED_ASSETS_MAX = 1_000;

export interface Work {
  /** Rows of balance_reads that this work does away with. */
  readonly readIds: readonly number[];
  readonly targets: readonly Target[];
}

interface TargetRow {
  address_id: string;
  project_id: string;
  address: string;
  asset_gid: string;
  decimals: number;
  block_number: number | null;
  block_hash: string | null;
  is_suspected: boolean;
  traceparent: string | null;
}

/**
 * The oldest asked-for readings of a chain, expanded to single balances and coalesced: one per address and asset, at
 * the highest block that asks, the cursor above all (a block that becomes final asks after newer ones did). `address`
 * without an asset means native and every asset known there; an asset without an address means everybody who holds it.
 * Only active assets and monitored addresses are read.
 */
export async function takeWork(sql: Sql, network: Network): Promise<Work> {
  const { rows: reads } = await sql.query<{ id: number }>('SELECT id FROM balance_reads WHERE chain_gid = $1 ORDER BY id LIMIT $2', [network.gid, BATCH]);
  const readIds = reads.map((read) => read.id);
  if (readIds.length === 0) return { readIds, targets: [] };
  const { rows } = await sql.query<TargetRow>(
    `WITH r AS (SELECT * FROM balance_reads WHERE id = ANY($1)),
     wanted AS (
       SELECT r.id, r.address_id, r.asset_gid, r.block_number, r.block_hash, r.traceparent, false AS is_suspected
         FROM r WHERE r.address_id IS NOT NULL AND r.asset_gid IS NOT NULL
       UNION ALL
       SELECT r.id, r.address_id, $2, r.block_number, r.block_hash, r.traceparent, false FROM r WHERE r.address_id IS NOT NULL AND r.asset_gid IS NULL
       UNION ALL
       SELECT r.id, r.address_id, b.asset_gid, r.block_number, r.block_hash, r.traceparent, false
         FROM r JOIN balances b ON b.address_id = r.address_id AND b.chain_gid = r.chain_gid WHERE r.asset_gid IS NULL
       UNION ALL
       SELECT r.id, r.address_id, s.gid, r.block_number, r.block_hash, r.traceparent, true
         FROM r CROSS JOIN (
           SELECT gid FROM assets WHERE chain_gid = $3 AND type = 'fungible' AND status = 'active' AND archived_at IS NULL ORDER BY created_at LIMIT ${SUSPECTED_ASSETS_MAX}
         ) s
         WHERE r.reason = 'imported' AND r.address_id IS NOT NULL AND r.asset_gid IS NULL
       UNION ALL
       SELECT r.id, b.address_id, r.asset_gid, r.block_number, r.block_hash, r.traceparent, false
         FROM r JOIN balances b ON b.asset_gid = r.asset_gid WHERE r.address_id IS NULL
     )
     SELECT DISTINCT ON (w.address_id, w.asset_gid) w.address_id, a.project_id, a.address, w.asset_gid, s.decimals, w.block_number, w.block_hash, w.traceparent,
            bool_and(w.is_suspected) OVER (PARTITION BY w.address_id, w.asset_gid) AS is_suspected
     FROM wanted w JOIN addresses a ON a.id = w.address_id JOIN assets s ON s.gid = w.asset_gid
     WHERE a.is_monitored AND s.status = 'active' AND s.archived_at IS NULL AND s.decimals IS NOT NULL
     ORDER BY w.address_id, w.asset_gid, w.block_number DESC NULLS FIRST, w.id DESC`,
    [readIds, network.native.gid, network.gid],
  );
  return { readIds, targets: rows.map(toTarget) };
}

/** Balances whose last reading stands in a block that was orphaned since, however it came to be read there. */
export async function findOrphanTargets(sql: Sql, chainGid: string): Promise<Target[]> {
  const { rows } = await sql.query<TargetRow>(
    `SELECT DISTINCT h.address_id, a.project_id, a.address, h.asset_gid, s.decimals, NULL::bigint AS block_number, NULL AS block_hash, NULL AS traceparent, false AS is_suspected
     FROM blocks b JOIN balance_history h ON h.chain_gid = b.chain_gid AND h.block_hash = b.hash
     JOIN addresses a ON a.id = h.address_id JOIN assets s ON s.gid = h.asset_gid
     WHERE b.chain_gid = $1 AND b.status = 'reorged' AND s.decimals IS NOT NULL LIMIT ${BATCH}`,
    [chainGid],
  );
  return rows.map(toTarget);
}

function toTarget(row: TargetRow): Target {
  return {
    addressId: row.address_id,
    projectId: row.project_id,
    address: row.address,
    assetGid: row.asset_gid,
    decimals: row.decimals,
    block: row.block_number === null || row.block_hash === null ? undefined : { number: row.block_number, hash: row.block_hash },
    isSuspected: row.is_suspected,
    traceparent: row.traceparent ?? undefined,
  };
}
