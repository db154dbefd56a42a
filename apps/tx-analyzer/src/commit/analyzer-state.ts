// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import type { ChainCursor } from '../model/chain-cursor.ts';

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

type OwnedState = Pick<ChainContext, 'gid' | 'share'>;

/** Creates the chain's row, which holds its status; its first owner inserts it. */
export async function beginState({ gid, share }: OwnedState): Promise<void> {
  await share.transaction((sql) =>
    sql.query('INSERT INTO analyzer_states (chain_gid) VALUES ($1) ON CONFLICT (chain_gid) DO NOTHING', [
      gid,
    ]),
  );
}

/** Writes why a chain stands still. @throws ShareLostError */
export async function writeStalled({ gid, share }: OwnedState, reason: string): Promise<void> {
  await share.transaction((sql) =>
    sql.query(
      `UPDATE analyzer_states SET status = 'stalled', reason = $2, updated_at = now() WHERE chain_gid = $1`,
      [gid, reason],
    ),
  );
}

interface Beat {
  readonly everyMs: number;
  /** Why a worker beside the feed stands still; undefined: none does. */
  readonly findStall: () => string | undefined;
}

/**
 * Writes over and over to the chain's row that it has an owner, and what stands still beside the feed. A row older than 30 s has none, whatever its status
 * says. A failed write does no harm: the row gets old, as it should. Returns a function that stops it.
 */
export function startBeating({ gid, share }: OwnedState, { everyMs, findStall }: Beat): () => void {
  const beat = (): Promise<unknown> =>
    share.transaction((sql) =>
      sql.query('UPDATE analyzer_states SET updated_at = now(), worker_reason = $2 WHERE chain_gid = $1', [
        gid,
        findStall() ?? null,
      ]),
    );
  const timer = setInterval(() => void beat().catch(() => undefined), everyMs);
  return () => clearInterval(timer);
}
