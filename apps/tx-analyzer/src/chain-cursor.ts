import type { Sql } from '@chainwatch/db';

/** How far the analysis of a chain is: the row of analyzer_states, written only by the owner of the chain. */
export interface ChainCursor {
  /** Last feed entry done. */
  readonly seq: number;
  readonly number?: number;
  readonly hash?: string;
  /** Blocks up to here are final. */
  readonly confirmedNumber?: number;
  /** While `seq` is below, the chain recovers from a reorg below finality and its events are held. */
  readonly holdUntilSeq?: number;
}

interface StateRow {
  readonly cursor_seq: number;
  readonly cursor_number: number | null;
  readonly cursor_hash: string | null;
  readonly confirmed_number: number | null;
  readonly hold_until_seq: number | null;
  readonly watch_xid: string;
}

export async function readCursor(
  sql: Sql,
  chainGid: string,
): Promise<{ cursor: ChainCursor; watchXid: bigint }> {
  const { rows } = await sql.query<StateRow>(
    'SELECT cursor_seq, cursor_number, cursor_hash, confirmed_number, hold_until_seq, watch_xid::text AS watch_xid FROM analyzer_states WHERE chain_gid = $1',
    [chainGid],
  );
  const row = rows[0]!;
  const cursor: ChainCursor = {
    seq: row.cursor_seq,
    ...(row.cursor_number === null ? {} : { number: row.cursor_number }),
    ...(row.cursor_hash === null ? {} : { hash: row.cursor_hash }),
    ...(row.confirmed_number === null ? {} : { confirmedNumber: row.confirmed_number }),
    ...(row.hold_until_seq === null ? {} : { holdUntilSeq: row.hold_until_seq }),
  };
  return { cursor, watchXid: BigInt(row.watch_xid) };
}

export function isHolding(cursor: ChainCursor): boolean {
  return cursor.holdUntilSeq !== undefined && cursor.seq < cursor.holdUntilSeq;
}
