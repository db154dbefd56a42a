import type { Sql } from '@chainwatch/db';
import { renewSql } from '@chainwatch/ownership';
import type { ChainContext } from '../model/chain-context.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import { SqlParams } from '../model/sql-params.ts';

export type AnalyzerStatus = 'following' | 'catching_up' | 'stalled' | 'recovering';

export interface Advance {
  readonly cursor: ChainCursor;
  readonly watchXid: bigint;
  /** Entries after the cursor: more than a few means catching up. */
  readonly lagEntries: number;
  /** Hashes of blocks that are analysed now. */
  readonly processedHashes: readonly string[];
}

const LAG_ENTRIES_FOLLOWING = 6;

/**
 * Writes the cursor and the statuses of its blocks in one statement that is its own fence; a step without hits
 * needs no other. Blocks are locked in the order of their ids, as the ingestor does.
 * @throws ShareLostError
 */
export async function advanceAlone(chain: ChainContext, advance: Advance): Promise<void> {
  const { kind, share, owner, token } = chain.share.claim;
  const params = new SqlParams();
  const renewal = renewSql([
    params.add(kind, 'text'),
    params.add(share, 'text'),
    params.add(owner, 'uuid'),
    params.add(token, 'bigint'),
  ]);
  const text = advanceSql(params, advance, `owner (chain_gid) AS (${renewal})`);
  await chain.share.query(
    { name: 'advance_cursor', text: `${text} RETURNING 1`, values: params.values },
    (rows) => rows.length === 1,
  );
}

/** The same in a transaction of the owner. */
export async function advanceCursor(sql: Sql, chain: ChainContext, advance: Advance): Promise<void> {
  const params = new SqlParams();
  await sql.query({
    name: 'advance_cursor_in_step',
    text: advanceCursorSql(params, chain, advance),
    values: params.values,
  });
}

/** The statement, with `ctes` (each `name AS (…)`) run beside it. */
export function advanceCursorSql(
  params: SqlParams,
  chain: ChainContext,
  advance: Advance,
  ctes: readonly string[] = [],
): string {
  const owner = `owner (chain_gid) AS (VALUES (${params.add(chain.gid, 'text')}))`;
  return advanceSql(params, advance, owner, ctes);
}

function advanceSql(
  params: SqlParams,
  advance: Advance,
  owner: string,
  ctes: readonly string[] = [],
): string {
  const { cursor } = advance;
  return `WITH ${owner},
    done AS MATERIALIZED (SELECT id FROM blocks WHERE chain_gid = (SELECT chain_gid FROM owner)
      AND hash = ANY(${params.add(advance.processedHashes, 'text[]')}) AND status = 'new' ORDER BY id FOR NO KEY UPDATE),
    processed AS (UPDATE blocks SET status = 'processed', updated_at = now() FROM done WHERE blocks.id = done.id)
    ${ctes.map((cte) => `, ${cte}`).join('')}
    UPDATE analyzer_states SET cursor_seq = ${params.add(cursor.seq, 'bigint')}, cursor_number = ${params.add(cursor.number ?? null, 'bigint')},
      cursor_hash = ${params.add(cursor.hash ?? null, 'text')}, confirmed_number = ${params.add(cursor.confirmedNumber ?? null, 'bigint')},
      hold_until_seq = ${params.add(isHolding(cursor) ? cursor.holdUntilSeq : null, 'bigint')}, watch_xid = ${params.add(String(advance.watchXid), 'xid8')},
      status = ${params.add(statusOf(advance), 'text')}, reason = NULL, updated_at = now()
    WHERE chain_gid = (SELECT chain_gid FROM owner)`;
}

export function statusOf({ cursor, lagEntries }: Pick<Advance, 'cursor' | 'lagEntries'>): AnalyzerStatus {
  if (isHolding(cursor)) return 'recovering';
  return lagEntries > LAG_ENTRIES_FOLLOWING ? 'catching_up' : 'following';
}
