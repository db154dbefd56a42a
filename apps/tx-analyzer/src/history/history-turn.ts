// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { isSetAsideSql } from '@chainwatch/data/quarantine';

/** An address whose past is read. */
export interface HistoryJob {
  readonly addressId: string;
  readonly projectId: string;
  /** Canonical form. */
  readonly address: string;
  readonly fromBlock: number;
  /** Other accounts of the address, found on the way. */
  readonly accounts: readonly string[];
  /** Last block of the range: the address counts from the next one on. */
  readonly toBlock: number;
  /** A turn is stored only for the request that it was begun for. */
  readonly revision: number;
}

/** What is read next: jobs that stand at the same block share a turn. */
export interface HistoryTurn {
  /** At least one; the one whose turn it is comes first. */
  readonly jobs: readonly HistoryJob[];
  /** Blocks of the ranges below were read. */
  readonly fromBlock: number;
  /** The last block that may be read: final, and of the first job's range. Below `fromBlock`: nothing is left. */
  readonly toBlock: number;
}

interface Row {
  readonly address_id: string;
  readonly project_id: string;
  readonly workspace_id: string;
  readonly address: string;
  readonly from_block: number;
  readonly accounts: readonly string[];
  readonly next_block: number;
  readonly to_block: number;
  readonly final_block: number;
  readonly revision: number;
}

/** Most jobs in one turn. */
const JOBS_MAX = 200;
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Jobs with something to read that are not set aside: their next block is final, or their range is done. An address without a watch of its own
 * counts from the first block that the chain was followed from.
 */
const DUE = `
  SELECT h.address_id, h.project_id, p.workspace_id, a.address, h.from_block, h.accounts, h.next_block, h.revision,
    coalesce(w.from_block, s.start_number) - 1 AS to_block, c.confirmed_number AS final_block
  FROM address_histories h
  JOIN projects p ON p.id = h.project_id
  JOIN addresses a ON a.id = h.address_id AND a.is_monitored
  JOIN ingestor_states s ON s.chain_gid = h.chain_gid AND s.start_number IS NOT NULL
  JOIN analyzer_states c ON c.chain_gid = h.chain_gid AND c.confirmed_number IS NOT NULL
  LEFT JOIN address_watches w ON w.address_id = h.address_id AND w.chain_gid = h.chain_gid
  WHERE h.chain_gid = $1 AND h.status <> 'complete' AND h.due_at <= clock_timestamp() AND c.cursor_seq >= coalesce(w.feed_seq, 0)
    AND (h.next_block <= c.confirmed_number OR h.next_block >= coalesce(w.from_block, s.start_number))
    AND NOT ${isSetAsideSql('history', 'h.address_id')}`;

/**
 * A workspace reads from so many lowest places at a time, and from as many highest: the lowest take others in when they
 * reach them, and what is short is done soon. Histories in between wait.
 */
const PLACES = 4;

/** One history for each place that a workspace reads from, and each of its projects there. */
const LEADS = `
  SELECT DISTINCT ON (project_id, next_block) * FROM (
    SELECT *, dense_rank() OVER (ORDER BY next_block) AS low, dense_rank() OVER (ORDER BY next_block DESC) AS high
    FROM (${DUE} AND p.workspace_id = $2) own
  ) ranked WHERE least(low, high) <= ${PLACES} ORDER BY project_id, next_block, address_id`;

/**
 * Gives turns fairly: to one workspace after the other, within it to one project after the other, within that to one place
 * after the other. However many histories a workspace asks for, and from however many blocks, few of them read.
 */
export class HistoryTurns {
  readonly #sql: Sql;
  readonly #chainGid: string;
  /** Who had the last turn: of the chain a workspace, of a workspace a project, of a project an address. */
  readonly #last = new Map<string, string>();

  constructor(sql: Sql, chainGid: string) {
    this.#sql = sql;
    this.#chainGid = chainGid;
  }

  /** The next turn; undefined when there is nothing to read. */
  async take(): Promise<HistoryTurn | undefined> {
    const workspace = await this.#next('workspace_id', { rowsSql: DUE, of: this.#chainGid, values: [] });
    if (workspace === undefined) {
      this.#last.clear();
      return undefined;
    }
    const { workspace_id: workspaceId } = workspace;
    const own = { rowsSql: LEADS, values: [workspaceId] };
    const project = await this.#next('project_id', { ...own, of: workspaceId });
    if (project === undefined) return undefined;
    const lead = await this.#next('address_id', {
      rowsSql: `SELECT * FROM (${LEADS}) leads WHERE project_id = $3`,
      of: project.project_id,
      values: [workspaceId, project.project_id],
    });
    return lead && this.#share(lead);
  }

  /** The first row behind the one that had the last turn of its kind, by a column. */
  async #next(
    column: 'workspace_id' | 'project_id' | 'address_id',
    {
      rowsSql,
      of,
      values,
    }: { readonly rowsSql: string; readonly of: string; readonly values: readonly string[] },
  ): Promise<Row | undefined> {
    const { rows } = await this.#sql.query<Row>(
      `SELECT * FROM (${rowsSql}) due ORDER BY ${column} <= $${values.length + 2}, ${column} LIMIT 1`,
      [this.#chainGid, ...values, this.#last.get(of) ?? NIL],
    );
    const [row] = rows;
    if (row !== undefined) this.#last.set(of, row[column]);
    return row;
  }

  /** The histories at the same block join, of whatever workspace; those further on when the turn has reached them. */
  async #share(lead: Row): Promise<HistoryTurn> {
    const { rows } = await this.#sql.query<Row>(
      `${DUE} AND h.next_block = $2 AND h.address_id <> $3 ORDER BY h.address_id LIMIT ${JOBS_MAX - 1}`,
      [this.#chainGid, lead.next_block, lead.address_id],
    );
    const { rows: ahead } = await this.#sql.query<{ next_block: number | null }>(
      `SELECT min(next_block) AS next_block FROM (${DUE} AND p.workspace_id = $2 AND h.next_block > $3) ahead`,
      [this.#chainGid, lead.workspace_id, lead.next_block],
    );
    return {
      jobs: [lead, ...rows].map((row) => ({
        addressId: row.address_id,
        projectId: row.project_id,
        address: row.address,
        fromBlock: row.from_block,
        accounts: row.accounts,
        toBlock: row.to_block,
        revision: row.revision,
      })),
      fromBlock: lead.next_block,
      toBlock: Math.min(lead.to_block, lead.final_block, (ahead[0]?.next_block ?? Infinity) - 1),
    };
  }
}
