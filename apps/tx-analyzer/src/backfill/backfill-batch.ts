// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { isSetAsideSql } from '@chainwatch/data/quarantine';

/** An address whose earlier coins are to be found. */
export interface BackfillAddress {
  readonly id: string;
  readonly projectId: string;
  /** Canonical form. */
  readonly address: string;
  /** Blocks from here on are analysed for it anyway: the backfill looks for what it had before. */
  readonly watchedFrom: number;
  /** The block that it asked for. */
  readonly fromBlock: number;
}

export interface BackfillBatch {
  readonly addresses: readonly BackfillAddress[];
  /** Where a rescan begins: the lowest block that any of the addresses asked for. */
  readonly fromBlock: number;
}

/** Most addresses in one scan of the node. */
const ADDRESSES_MAX = 1_000;

interface Row {
  readonly address_id: string;
  readonly project_id: string;
  /** The workspace whose turn it is. */
  readonly leader: string;
  readonly address: string;
  readonly watched_from: number;
  readonly from_block: number;
}

/**
 * Unfinished backfills of a chain that are not set aside. An address without a watch of its own counts from the first
 * block that the chain was followed from. A backfill is due once the analyzer has reached the head that its address
 * counts from: until then a reorg that is still to be undone would remove the coins it found.
 */
const DUE = `
  SELECT b.address_id, a.project_id, p.workspace_id, a.address, coalesce(w.from_block, s.start_number) AS watched_from, b.from_block, b.created_at
  FROM address_backfills b
  JOIN addresses a ON a.id = b.address_id AND a.is_monitored
  JOIN projects p ON p.id = a.project_id
  JOIN ingestor_states s ON s.chain_gid = b.chain_gid AND s.start_number IS NOT NULL
  JOIN analyzer_states c ON c.chain_gid = b.chain_gid AND c.cursor_number IS NOT NULL
  LEFT JOIN address_watches w ON w.address_id = b.address_id AND w.chain_gid = b.chain_gid
  WHERE b.chain_gid = $1 AND b.status IN ('pending', 'running') AND c.cursor_seq >= coalesce(w.feed_seq, 0) AND NOT ${isSetAsideSql('backfill', 'b.address_id')}`;

/**
 * The next batch. `$2` is the workspace that led the last one: the next workspace's oldest backfill leads, and those that
 * need no earlier block join, one of each project of each workspace after the other. When several have the same address,
 * the one that counts from the lowest block goes first and the others in later batches, because each asks for the coins
 * at another block.
 */
const NEXT_BATCH = `
  WITH due AS MATERIALIZED (${DUE}),
  lead AS (SELECT workspace_id, address_id, from_block FROM due ORDER BY workspace_id <= $2, workspace_id, created_at, address_id LIMIT 1),
  joined AS (
    SELECT due.*, lead.workspace_id AS leader, due.address_id = lead.address_id AS is_lead,
      row_number() OVER (PARTITION BY project_id ORDER BY due.created_at, due.address_id) AS in_project
    FROM due JOIN lead ON due.from_block >= lead.from_block
  ), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY workspace_id ORDER BY in_project, project_id) AS in_workspace FROM joined
  ), taken AS (
    SELECT * FROM ranked ORDER BY is_lead DESC, in_workspace, workspace_id LIMIT ${ADDRESSES_MAX}
  )
  SELECT DISTINCT ON (address) * FROM taken ORDER BY address, watched_from, address_id`;

/** Gives batches of backfills, led by one workspace after the other. */
export class BackfillTurns {
  readonly #sql: Sql;
  readonly #chainGid: string;
  #lastWorkspace = '00000000-0000-0000-0000-000000000000';

  constructor(sql: Sql, chainGid: string) {
    this.#sql = sql;
    this.#chainGid = chainGid;
  }

  /** Whether there is a next batch. */
  async isDue(): Promise<boolean> {
    const { rows } = await this.#sql.query(`SELECT FROM (${DUE} LIMIT 1) due`, [this.#chainGid]);
    return rows.length > 0;
  }

  /** The next batch; undefined when there is none. */
  async take(): Promise<BackfillBatch | undefined> {
    const { rows } = await this.#sql.query<Row>(NEXT_BATCH, [this.#chainGid, this.#lastWorkspace]);
    const [first] = rows;
    if (first === undefined) return undefined;
    this.#lastWorkspace = first.leader;
    return {
      addresses: rows.map((row) => ({
        id: row.address_id,
        projectId: row.project_id,
        address: row.address,
        watchedFrom: row.watched_from,
        fromBlock: row.from_block,
      })),
      fromBlock: Math.min(...rows.map((row) => row.from_block)),
    };
  }
}

/** Stores how far a batch is. Rows that were deleted meanwhile are ignored. */
export async function writeBackfillProgress(
  sql: Sql,
  {
    chainGid,
    batch,
    progress,
  }: { readonly chainGid: string; readonly batch: BackfillBatch; readonly progress: BackfillProgress },
): Promise<void> {
  await sql.query(
    `UPDATE address_backfills SET status = $3, method = $4, next_block = $5, to_block = $6, reason = $7, updated_at = now()
     WHERE chain_gid = $1 AND address_id = ANY($2::uuid[]) AND status IN ('pending', 'running')`,
    [
      chainGid,
      batch.addresses.map((entry) => entry.id),
      progress.status,
      progress.method ?? null,
      progress.nextBlock ?? null,
      progress.toBlock ?? null,
      progress.reason ?? null,
    ],
  );
}

export interface BackfillProgress {
  readonly status: 'pending' | 'running' | 'failed';
  readonly method?: BackfillMethod;
  /** Of a rescan: all blocks below were read. */
  readonly nextBlock?: number;
  readonly toBlock?: number;
  /** Why it waits or failed. */
  readonly reason?: string;
}

/** `scan`: the node or an index returned coins by address. `rescan`: the blocks were read. */
export type BackfillMethod = 'scan' | 'rescan';
