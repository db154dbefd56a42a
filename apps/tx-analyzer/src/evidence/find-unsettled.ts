// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { EVIDENCE_OVERDUE } from '../commit/end-settling.ts';

/** A block whose evidence has not been looked at. */
export interface UnsettledBlock extends BlockRef {
  /** Milliseconds of chain time from it to the block that was analysed last. */
  readonly behindMs: number;
  /** The chain calls it final. */
  readonly isFinal: boolean;
  /** Its evidence did not come in time, and nothing in it is `settling` any more. */
  readonly isGivenUp: boolean;
}

interface Row {
  readonly number: number;
  readonly hash: string;
  readonly behind_ms: number;
  readonly is_final: boolean;
  readonly is_given_up: boolean;
}

const COLUMNS = `b.number, b.hash, coalesce(extract(epoch FROM head.block_timestamp - b.block_timestamp) * 1000, 0)::float8 AS behind_ms,
  coalesce(b.number <= s.confirmed_number, false) AS is_final, b.verification IS NOT DISTINCT FROM 'unproved' AND NOT EXISTS (
    SELECT FROM unproved_transactions u WHERE u.chain_gid = s.chain_gid AND u.block_hash = b.hash AND u.verdict = 'settling') AS is_given_up`;
const BLOCKS = `analyzer_states s JOIN blocks b ON b.chain_gid = s.chain_gid AND b.status IN ('processed', 'confirmed')
  LEFT JOIN blocks head ON head.chain_gid = s.chain_gid AND head.hash = s.cursor_hash`;

/** The next blocks behind the last one that is done, ascending. */
export async function findUnsettled(sql: Sql, chainGid: string, limit: number): Promise<UnsettledBlock[]> {
  const { rows } = await sql.query<Row>({
    name: 'find_unsettled',
    text: `SELECT ${COLUMNS} FROM ${BLOCKS}
           WHERE s.chain_gid = $1 AND b.number > coalesce(s.settled_number, -1) AND b.number <= s.cursor_number
           ORDER BY b.number LIMIT $2`,
    values: [chainGid, limit],
  });
  return rows.map(toBlock);
}

/**
 * Blocks whose evidence was given up, in the range of the open incident, and blocks that hold transactions found late;
 * from `after` on, ascending.
 */
export async function findOverdue(
  sql: Sql,
  chainGid: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<UnsettledBlock[]> {
  const { rows } = await sql.query<Row>(
    `SELECT ${COLUMNS} FROM ${BLOCKS}
     WHERE s.chain_gid = $1 AND b.number > $2 AND b.number <= s.settled_number AND (
       b.verification = 'unproved' AND EXISTS (SELECT FROM incidents i WHERE i.chain_gid = s.chain_gid AND i.kind = $4 AND i.status = 'open'
         AND b.number BETWEEN i.block_number AND i.last_block_number)
       OR b.hash IN (SELECT u.block_hash FROM unproved_transactions u WHERE u.chain_gid = s.chain_gid AND u.verdict = 'settling' AND u.block_number <= s.settled_number))
     ORDER BY b.number LIMIT $3`,
    [chainGid, after, limit, EVIDENCE_OVERDUE],
  );
  return rows.map(toBlock);
}

/** Whether there is an incident of blocks whose evidence was given up. */
export async function isOverdueOpen(sql: Sql, chainGid: string): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT FROM incidents WHERE chain_gid = $1 AND kind = $2 AND status = 'open'`,
    [chainGid, EVIDENCE_OVERDUE],
  );
  return rows.length > 0;
}

function toBlock({ number, hash, behind_ms, is_final, is_given_up }: Row): UnsettledBlock {
  return { number, hash, behindMs: behind_ms, isFinal: is_final, isGivenUp: is_given_up };
}
