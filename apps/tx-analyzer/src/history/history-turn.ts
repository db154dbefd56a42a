import type { Sql } from '@chainwatch/db';
import { isSetAsideSql } from '@chainwatch/quarantine';

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
  SELECT h.address_id, h.project_id, a.address, h.from_block, h.accounts, h.next_block, h.revision,
    coalesce(w.from_block, s.start_number) - 1 AS to_block, c.confirmed_number AS final_block
  FROM address_histories h
  JOIN addresses a ON a.id = h.address_id AND a.is_monitored
  JOIN ingestor_states s ON s.chain_gid = h.chain_gid AND s.start_number IS NOT NULL
  JOIN analyzer_states c ON c.chain_gid = h.chain_gid AND c.confirmed_number IS NOT NULL
  LEFT JOIN address_watches w ON w.address_id = h.address_id AND w.chain_gid = h.chain_gid
  WHERE h.chain_gid = $1 AND h.status <> 'complete' AND h.due_at <= clock_timestamp() AND c.cursor_seq >= coalesce(w.feed_seq, 0)
    AND (h.next_block <= c.confirmed_number OR h.next_block >= coalesce(w.from_block, s.start_number))
    AND NOT ${isSetAsideSql('history', 'h.address_id')}`;

/** Gives turns fairly: to one project after the other, within a project to one address after the other. */
export class HistoryTurns {
  readonly #sql: Sql;
  readonly #chainGid: string;
  #lastProject = NIL;
  /** The address of each project that had the last turn, while the project has jobs. */
  readonly #lastAddresses = new Map<string, string>();

  constructor(sql: Sql, chainGid: string) {
    this.#sql = sql;
    this.#chainGid = chainGid;
  }

  /** The next turn; undefined when there is nothing to read. */
  async take(): Promise<HistoryTurn | undefined> {
    const project =
      (await this.#findOne('h.project_id > $2', 'h.project_id', [this.#lastProject])) ??
      (await this.#findOne('h.project_id > $2', 'h.project_id', [NIL]));
    if (project === undefined) {
      this.#lastAddresses.clear();
      return undefined;
    }
    const { project_id: projectId } = project;
    const own = 'h.project_id = $2 AND h.address_id > $3';
    const after = this.#lastAddresses.get(projectId) ?? NIL;
    const lead =
      (await this.#findOne(own, 'h.address_id', [projectId, after])) ??
      (await this.#findOne(own, 'h.address_id', [projectId, NIL]));
    this.#lastProject = projectId;
    if (lead === undefined) return undefined;
    this.#lastAddresses.set(projectId, lead.address_id);
    return this.#share(lead);
  }

  async #findOne(condition: string, order: string, values: readonly unknown[]): Promise<Row | undefined> {
    const { rows } = await this.#sql.query<Row>(`${DUE} AND ${condition} ORDER BY ${order} LIMIT 1`, [
      this.#chainGid,
      ...values,
    ]);
    return rows[0];
  }

  async #share(lead: Row): Promise<HistoryTurn> {
    const { rows } = await this.#sql.query<Row>(
      `${DUE} AND h.next_block = $2 AND h.address_id <> $3 ORDER BY h.address_id LIMIT ${JOBS_MAX - 1}`,
      [this.#chainGid, lead.next_block, lead.address_id],
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
      toBlock: Math.min(lead.to_block, lead.final_block),
    };
  }
}
