// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

export interface ChainState {
  /** No balance is read beyond it: transfers that are not stored yet would look like adjustments. */
  readonly cursor: BlockRef | undefined;
  /** The ingestor knows that the cursor's block is an orphan; the analyzer has not undone it yet. */
  readonly isCursorOrphaned: boolean;
  readonly confirmedNumber: number;
  /** The chain recovers from a reorg below finality: no event goes out until its blocks are analysed again. */
  readonly isHeld: boolean;
}

interface StateRow {
  readonly number: number | null;
  readonly hash: string | null;
  readonly confirmed: number | null;
  readonly is_held: boolean;
  readonly is_orphaned: boolean;
}

/** How far the analyzer is. */
export async function readChainState(sql: Sql, chainGid: string): Promise<ChainState> {
  const { rows } = await sql.query<StateRow>({
    name: 'read_chain_state',
    text: `SELECT s.cursor_number AS number, s.cursor_hash AS hash, s.confirmed_number AS confirmed,
            s.hold_until_seq IS NOT NULL AND s.cursor_seq < s.hold_until_seq AS is_held, coalesce(b.status IN ('reorged', 'new'), false) AS is_orphaned
     FROM analyzer_states s LEFT JOIN blocks b ON b.chain_gid = s.chain_gid AND b.hash = s.cursor_hash WHERE s.chain_gid = $1`,
    values: [chainGid],
  });
  const row = rows[0];
  if (row === undefined)
    return { cursor: undefined, isCursorOrphaned: false, confirmedNumber: -1, isHeld: false };
  return {
    cursor: row.number === null || row.hash === null ? undefined : { number: row.number, hash: row.hash },
    isCursorOrphaned: row.is_orphaned,
    confirmedNumber: row.confirmed ?? -1,
    isHeld: row.is_held,
  };
}
