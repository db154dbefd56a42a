import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';

export interface ChainState {
  readonly cursor: BlockRef | undefined;
  readonly confirmedNumber: number;
  /** The chain recovers from a reorg below finality: nothing is told until its blocks are done again. */
  readonly isHeld: boolean;
}

/** How far the analyzer is: no balance is read beyond it, or transfers not stored yet would look like adjustments. */
export async function readChainState(sql: Sql, chainGid: string): Promise<ChainState> {
  const { rows } = await sql.query<{ number: number | null; hash: string | null; confirmed: number | null; is_held: boolean }>(
    `SELECT cursor_number AS number, cursor_hash AS hash, confirmed_number AS confirmed,
            hold_until_seq IS NOT NULL AND cursor_seq < hold_until_seq AS is_held
     FROM analyzer_states WHERE chain_gid = $1`,
    [chainGid],
  );
  const row = rows[0];
  if (row === undefined || row.number === null || row.hash === null) return { cursor: undefined, confirmedNumber: -1, isHeld: false };
  return { cursor: { number: row.number, hash: row.hash }, confirmedNumber: row.confirmed ?? -1, isHeld: row.is_held };
}
