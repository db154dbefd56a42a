// SPDX-License-Identifier: Apache-2.0
import type { Sql, Transaction } from '@chainwatch/data/db';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import type { HistoryJob, HistoryTurn } from './history-turn.ts';
import { addBlocks, type NotCovered } from './not-covered.ts';

export interface HistoryProgress {
  /** Blocks below were read. */
  readonly nextBlock: number;
  readonly blocksPerSecond: number;
  /** Transactions found since the last progress, by address. */
  readonly found: ReadonlyMap<string, number>;
  /** Other accounts that were found, by address. */
  readonly accounts: ReadonlyMap<string, readonly string[]>;
  /** Blocks in which transfers may be missing, by the id of the address. */
  readonly notCovered: ReadonlyMap<string, readonly number[]>;
}

/** A job as it is stored. */
export interface StoredJob extends HistoryJob {
  readonly notCovered: readonly NotCovered[];
}

/** Stores, in an open transaction of the owner, how far jobs are. One that has no block left is complete. */
export function sendProgress(
  sql: Transaction,
  {
    chainGid,
    jobs,
    progress: { nextBlock, blocksPerSecond, found, accounts, notCovered },
  }: { readonly chainGid: string; readonly jobs: readonly StoredJob[]; readonly progress: HistoryProgress },
): void {
  sql.send({
    text: `UPDATE address_histories h SET status = CASE WHEN $4 > r.to_block THEN 'complete' ELSE 'running' END, next_block = greatest(h.next_block, least($4, r.to_block + 1)),
       to_block = r.to_block, transaction_count = h.transaction_count + r.found, blocks_per_second = $5, reason = NULL, accounts = ARRAY(SELECT DISTINCT unnest(h.accounts || string_to_array(r.accounts, ',')) ORDER BY 1), not_covered = r.not_covered, failure_count = 0,
       due_at = clock_timestamp(), updated_at = clock_timestamp()
     FROM (SELECT j.address_id, j.found, j.accounts, j.not_covered, coalesce(w.from_block, s.start_number) - 1 AS to_block
           FROM unnest($2::uuid[], $3::bigint[], $6::text[], $7::jsonb[]) AS j (address_id, found, accounts, not_covered)
           JOIN ingestor_states s ON s.chain_gid = $1
           LEFT JOIN address_watches w ON w.address_id = j.address_id AND w.chain_gid = $1) r
     WHERE h.chain_gid = $1 AND h.address_id = r.address_id`,
    values: [
      chainGid,
      jobs.map(({ addressId }) => addressId),
      jobs.map(({ addressId }) => found.get(addressId) ?? 0),
      nextBlock,
      blocksPerSecond,
      // Canonical addresses contain no comma.
      jobs.map(({ address }) => accounts.get(address)?.join(',') ?? ''),
      jobs.map(({ addressId, notCovered: before }) =>
        JSON.stringify(addBlocks(before, notCovered.get(addressId) ?? [])),
      ),
    ],
  });
}

/** How many of the transactions are of each address. */
export function countByAddress(matches: readonly MatchedTransaction[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { participants } of matches)
    for (const { id } of participants) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

export interface HistoryFailure {
  /** For the API's clients. */
  readonly reason: string;
  /** The node says that it does not have the block, and may never. */
  readonly isMissing: boolean;
}

/** A node that does not have a block is asked so often before the job counts as failed. */
const MISSES_MAX = 5;

/** Stores why a turn failed and when the next one is due: within a minute, or an hour once the job counts as failed. */
export async function writeFailure(
  sql: Sql,
  {
    chainGid,
    turn: { jobs },
    failure: { reason, isMissing },
  }: { readonly chainGid: string; readonly turn: HistoryTurn; readonly failure: HistoryFailure },
): Promise<void> {
  await sql.query(
    `UPDATE address_histories h SET failure_count = h.failure_count + 1, reason = $4, updated_at = clock_timestamp(),
       status = CASE WHEN $5 AND h.failure_count + 1 >= ${MISSES_MAX} THEN 'failed' WHEN h.status = 'failed' THEN 'failed' ELSE 'running' END,
       due_at = clock_timestamp() + CASE WHEN $5 AND h.failure_count + 1 >= ${MISSES_MAX} THEN interval '1 hour' ELSE least(2 ^ least(h.failure_count, 10), 60) * interval '1 second' END
     FROM unnest($2::uuid[], $3::bigint[]) AS j (address_id, revision)
     WHERE h.chain_gid = $1 AND h.address_id = j.address_id AND h.revision = j.revision AND h.status <> 'complete'`,
    [
      chainGid,
      jobs.map(({ addressId }) => addressId),
      jobs.map(({ revision }) => revision),
      reason,
      isMissing,
    ],
  );
}
