// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { holdingOf, refOf, type HoldingRow, type Target } from '../read/target.ts';

/** Most imports per step beside other work, and without it: each asks for every asset of the chain. */
const IMPORTS_BESIDE = 2;
const IMPORTS_ALONE = 200;
/**
 * Assets that an import tries without knowing that the address holds them: the registry's and the project's, oldest
 * first.
 */
const SUSPECTED_ASSETS_MAX = 1_000;
/** Whether balances of an asset `s` are read at all. */
export const IS_READABLE = `s.status = 'active' AND s.type <> 'nft'`;
/** Whether the balance that `w` wants is set aside. */
export const IS_SET_ASIDE = `EXISTS (SELECT FROM incidents i WHERE i.address_id = w.address_id AND i.asset_gid = w.asset_gid AND i.status = 'quarantined' AND i.kind = 'poison:balances')`;
/** Their gids and since when they are known, of the chain `$3`. */
export const SUSPECTED_ASSETS = (projectId: string): string =>
  `SELECT gid, updated_at AS known_at FROM assets WHERE chain_gid = $3 AND type = 'fungible' AND source = 'registry'
   UNION ALL
   (SELECT asset_gid, updated_at FROM project_assets WHERE project_id = ${projectId} AND chain_gid = $3 AND type = 'fungible' AND status = 'active' ORDER BY created_at, asset_gid LIMIT ${SUSPECTED_ASSETS_MAX})`;

export interface WorkLimits {
  /** Rows of balance_reads at once. */
  readonly reads: number;
  /** Balances that one piece of work may ask for. */
  readonly targets: number;
}

export interface Work {
  /** Rows of balance_reads that this work completes. */
  readonly readIds: readonly number[];
  readonly targets: readonly Target[];
  /** One row asks for more holders than a piece of work may hold: it must be split first (splitRead). */
  readonly isTooLarge: boolean;
  /** There are more requests than were taken. */
  readonly hasMore: boolean;
  /** Imports alone: nobody waits for them. */
  readonly isBulk: boolean;
}

interface TargetRow extends HoldingRow {
  readonly block_number: number | null;
  readonly block_hash: string | null;
  readonly parent_number: number | null;
  readonly parent_hash: string | null;
  readonly is_suspected: boolean;
  readonly is_retroactive: boolean;
  readonly traceparent: string | null;
}

/**
 * The oldest requested readings of a chain, expanded to single balances and coalesced: one per address and asset,
 * at the newest block that asks. Left out are assets that are not active or not fungible or that the project archived, addresses
 * that are not monitored, balances that are set aside, and readings overtaken by a newer one. A reading for a block that is no longer canonical
 * is made at the cursor.
 */
export async function readWork(sql: Sql, network: Network, limits: WorkLimits): Promise<Work> {
  const { isBulk, ...taken } = await readRows(sql, network.gid, limits.reads);
  let { rows, hasMore } = taken;
  for (;;) {
    const readIds = rows.map((row) => row.id);
    // All assets of a single address are taken together, however many they are.
    const targetsMax = rows.length === 1 && !rows[0]!.is_of_holders ? undefined : limits.targets;
    const targets = rows.length === 0 ? [] : await readWanted(sql, { network, readIds, targetsMax });
    if (targetsMax === undefined || targets.length <= targetsMax)
      return { readIds, targets, isTooLarge: false, hasMore, isBulk };
    if (rows.length === 1) return { readIds, targets: [], isTooLarge: true, hasMore: true, isBulk };
    rows = rows.slice(0, rows.length >> 1);
    hasMore = true;
  }
}

interface ReadRow {
  readonly id: number;
  readonly is_of_holders: boolean;
}

/**
 * True when no backfill still looks for coins from before the address was watched: a reading would miss them. An
 * address that is not monitored has no running backfill: its requests are taken, and nothing is read. Looked up by
 * primary key, row by row, because no statistics keep up with a mass import.
 */
const IS_COMPLETE = `(coalesce((SELECT f.status FROM address_backfills f WHERE f.address_id = q.address_id AND f.chain_gid = q.chain_gid), 'complete') NOT IN ('pending', 'running')
  OR NOT (SELECT a.is_monitored FROM addresses a WHERE a.id = q.address_id))`;

/** Readings for detected changes come first; imports get their turn beside them. */
async function readRows(
  sql: Sql,
  chainGid: string,
  limit: number,
): Promise<{ rows: ReadRow[]; hasMore: boolean; isBulk: boolean }> {
  const [asked, imported] = await Promise.all([
    sql.query<ReadRow>({
      name: 'take_asked_reads',
      text: `SELECT q.id, q.address_id IS NULL AS is_of_holders FROM balance_reads q WHERE q.chain_gid = $1 AND q.reason <> 'imported' AND ${IS_COMPLETE} ORDER BY q.id LIMIT $2`,
      values: [chainGid, limit],
    }),
    sql.query<ReadRow>({
      name: 'take_imports',
      // Only once the analyzer has reached the block from which the address counts: changes in between would
      // be in no reading and no transaction.
      text: `SELECT q.id, false AS is_of_holders FROM balance_reads q
             JOIN analyzer_states s ON s.chain_gid = q.chain_gid
             LEFT JOIN address_watches w ON w.address_id = q.address_id AND w.chain_gid = q.chain_gid
             WHERE q.chain_gid = $1 AND q.reason = 'imported' AND coalesce(w.from_block, 0) <= coalesce(s.cursor_number, -1) AND ${IS_COMPLETE}
             ORDER BY q.id LIMIT $2`,
      values: [chainGid, Math.min(IMPORTS_ALONE, limit)],
    }),
  ]);
  const imports = imported.rows.slice(0, asked.rows.length > 0 ? IMPORTS_BESIDE : IMPORTS_ALONE);
  return {
    rows: [...asked.rows, ...imports],
    hasMore:
      asked.rows.length === limit ||
      imports.length < imported.rows.length ||
      imported.rows.length === Math.min(IMPORTS_ALONE, limit),
    isBulk: asked.rows.length === 0,
  };
}

/**
 * A request for an asset without an address means its holders: the stored ones, and those whose first reading is
 * part of this work.
 */
const WANTED = `
  r AS (
    SELECT q.*, b.number AS at_number, b.hash AS at_hash, b.parent_hash AS at_parent, q.reason = 'detected' AND q.block_hash IS NULL AS is_retroactive
    FROM balance_reads q LEFT JOIN blocks b ON b.chain_gid = q.chain_gid AND b.hash = q.block_hash AND b.status IN ('processed', 'confirmed')
    WHERE q.id = ANY($1)
  ),
  wanted (id, address_id, asset_gid, at_number, at_hash, at_parent, is_retroactive, traceparent, is_suspected, is_retry) AS (
    SELECT id, address_id, coalesce(asset_gid, $2), at_number, at_hash, at_parent, is_retroactive, traceparent, reason = 'mentioned' OR reason = 'imported' AND asset_gid IS NOT NULL, reason = 'retry' FROM r WHERE address_id IS NOT NULL
    UNION ALL
    SELECT r.id, r.address_id, b.asset_gid, at_number, at_hash, at_parent, is_retroactive, traceparent, false, false
      FROM r JOIN balances b ON b.address_id = r.address_id AND b.chain_gid = r.chain_gid WHERE r.asset_gid IS NULL
    UNION ALL
    SELECT r.id, r.address_id, s.gid, at_number, at_hash, at_parent, is_retroactive, traceparent, true, false
      FROM r JOIN addresses o ON o.id = r.address_id CROSS JOIN LATERAL (
        ${SUSPECTED_ASSETS('o.project_id')}) s
      WHERE r.reason = 'imported' AND r.address_id IS NOT NULL AND r.asset_gid IS NULL
    UNION ALL
    SELECT r.id, b.address_id, r.asset_gid, at_number, at_hash, at_parent, is_retroactive, traceparent, false, false
      FROM r JOIN balances b ON b.asset_gid = r.asset_gid WHERE r.address_id IS NULL
    UNION ALL
    SELECT r.id, m.address_id, r.asset_gid, r.at_number, r.at_hash, r.at_parent, r.is_retroactive, r.traceparent, false, false
      FROM r JOIN r AS m ON m.asset_gid = r.asset_gid AND m.address_id IS NOT NULL WHERE r.address_id IS NULL
  )`;

/** Row by row (OFFSET 0): how many are wanted is what the planner cannot guess, and the tables are large. */
async function readWanted(
  sql: Sql,
  {
    network,
    readIds,
    targetsMax,
  }: {
    readonly network: Network;
    readonly readIds: readonly number[];
    readonly targetsMax: number | undefined;
  },
): Promise<Target[]> {
  const { rows } = await sql.query<TargetRow>({
    name: 'read_wanted',
    text: `WITH ${WANTED}
     SELECT DISTINCT ON (w.address_id, w.asset_gid) w.address_id, a.project_id, a.address, a.display, w.asset_gid, s.decimals, w.at_number AS block_number, w.at_hash AS block_hash,
            p.number AS parent_number, p.hash AS parent_hash, w.traceparent,
            bool_and(w.is_suspected AND k.address_id IS NULL) OVER (PARTITION BY w.address_id, w.asset_gid) AS is_suspected, bool_or(w.is_retroactive) OVER (PARTITION BY w.address_id, w.asset_gid) AS is_retroactive
     FROM (SELECT *, first_value(at_number) OVER asked AS first_number, first_value(at_parent) OVER asked AS first_parent FROM wanted
           WINDOW asked AS (PARTITION BY address_id, asset_gid ORDER BY at_number NULLS LAST)) w
     CROSS JOIN LATERAL (SELECT project_id, address, display, is_monitored FROM addresses WHERE id = w.address_id OFFSET 0) a
     CROSS JOIN LATERAL (SELECT chain_gid, type, status, decimals FROM assets WHERE gid = w.asset_gid OFFSET 0) s
     LEFT JOIN LATERAL (SELECT archived_at FROM project_assets WHERE project_id = a.project_id AND asset_gid = w.asset_gid OFFSET 0) f ON true
     LEFT JOIN LATERAL (SELECT address_id, block_number FROM balances WHERE address_id = w.address_id AND asset_gid = w.asset_gid OFFSET 0) k ON true
     LEFT JOIN LATERAL (SELECT true AS is_read FROM balance_history WHERE address_id = w.address_id AND asset_gid = w.asset_gid LIMIT 1) h ON true
     LEFT JOIN LATERAL (
       SELECT number, hash FROM blocks WHERE chain_gid = $3 AND hash = w.first_parent AND h.is_read IS NULL AND status IN ('processed', 'confirmed')
       UNION ALL SELECT number, hash FROM last_packed_block($3, w.first_number - 1)
         WHERE hash = w.first_parent AND h.is_read IS NULL AND w.first_number <= (SELECT max(first_number) + 1024 FROM block_runs WHERE chain_gid = $3)
       OFFSET 0
     ) p ON true
     WHERE a.is_monitored AND s.chain_gid = $3 AND ${IS_READABLE} AND f.archived_at IS NULL
       AND (w.at_number IS NULL OR k.block_number IS NULL OR k.block_number <= w.at_number)
       AND (w.is_retry OR NOT ${IS_SET_ASIDE})
     ORDER BY w.address_id, w.asset_gid, w.at_number DESC NULLS FIRST, w.id DESC LIMIT $4`,
    values: [readIds, network.native?.gid, network.gid, targetsMax === undefined ? null : targetsMax + 1],
  });
  return rows.map((row) => ({
    ...holdingOf(row),
    block: refOf(row.block_number, row.block_hash),
    parent: refOf(row.parent_number, row.parent_hash),
    isSuspected: row.is_suspected,
    isRetroactive: row.is_retroactive,
    traceparent: row.traceparent ?? undefined,
  }));
}
