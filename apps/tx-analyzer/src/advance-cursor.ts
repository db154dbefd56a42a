import { FencedError, type Sql } from '@chainwatch/db';
import type { ChainContext } from './chain-context.ts';
import { isHolding, type ChainCursor } from './chain-cursor.ts';
import { SqlParams } from './sql-params.ts';

export type AnalyzerStatus = 'following' | 'catching_up' | 'stalled' | 'recovering';

export interface Advance {
  readonly cursor: ChainCursor;
  readonly watchXid: bigint;
  /** Entries behind the cursor: more than a few means catching up. */
  readonly lagEntries: number;
  /** Hashes of blocks that are analysed now. */
  readonly processedHashes: readonly string[];
}

const LAG_ENTRIES_FOLLOWING = 6;

/**
 * Writes how far the chain is, and the statuses of its blocks, in one statement that also proves the token: a step
 * without hits is this statement alone. Blocks are locked in the order of their ids, as the ingestor does.
 * @throws FencedError
 */
export async function advanceCursor(sql: Sql, chain: ChainContext, advance: Advance): Promise<void> {
  const params = new SqlParams();
  const { rowCount } = await sql.query({
    name: 'advance_cursor',
    text: advanceCursorSql(params, chain, advance),
    values: params.values,
  });
  if (rowCount !== 1) throw new FencedError('analyzer_states', chain.gid, chain.token);
}

/** The statement, with `ctes` (each `name AS (…)`) run beside it. */
export function advanceCursorSql(
  params: SqlParams,
  chain: ChainContext,
  advance: Advance,
  ctes: readonly string[] = [],
): string {
  const { cursor } = advance;
  const gid = params.add(chain.gid, 'text');
  const token = params.add(chain.token, 'bigint');
  return `WITH owner AS MATERIALIZED (SELECT chain_gid FROM analyzer_states WHERE chain_gid = ${gid} AND token = ${token} FOR UPDATE),
    done AS MATERIALIZED (SELECT id FROM blocks WHERE chain_gid = (SELECT chain_gid FROM owner)
      AND hash = ANY(${params.add(advance.processedHashes, 'text[]')}) AND status = 'new' ORDER BY id FOR NO KEY UPDATE),
    processed AS (UPDATE blocks SET status = 'processed', updated_at = now() FROM done WHERE blocks.id = done.id)
    ${ctes.map((cte) => `, ${cte}`).join('')}
    UPDATE analyzer_states SET cursor_seq = ${params.add(cursor.seq, 'bigint')}, cursor_number = ${params.add(cursor.number ?? null, 'bigint')},
      cursor_hash = ${params.add(cursor.hash ?? null, 'text')}, confirmed_number = ${params.add(cursor.confirmedNumber ?? null, 'bigint')},
      hold_until_seq = ${params.add(isHolding(cursor) ? cursor.holdUntilSeq : null, 'bigint')}, watch_xid = ${params.add(String(advance.watchXid), 'xid8')},
      status = ${params.add(statusOf(advance), 'text')}, reason = NULL, updated_at = now()
    FROM owner WHERE analyzer_states.chain_gid = owner.chain_gid`;
}

export function statusOf({ cursor, lagEntries }: Pick<Advance, 'cursor' | 'lagEntries'>): AnalyzerStatus {
  if (isHolding(cursor)) return 'recovering';
  return lagEntries > LAG_ENTRIES_FOLLOWING ? 'catching_up' : 'following';
}

/** Says why a chain stands still. Writes nothing when the token is stale. */
export async function writeStalled(
  sql: Sql,
  chain: Pick<ChainContext, 'gid' | 'token'>,
  reason: string,
): Promise<void> {
  await sql.query(
    `UPDATE analyzer_states SET status = 'stalled', reason = $3, updated_at = now() WHERE chain_gid = $1 AND token = $2`,
    [chain.gid, chain.token, reason],
  );
}
