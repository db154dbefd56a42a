// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { readChainGaps } from './read-chain-gaps.ts';
import { gapOf, type ChainLine, type GapLine, type BlockMark } from './statement-lines.ts';

/** What of a chain a statement is about. */
export interface ChainWindow {
  readonly line: ChainLine;
  readonly gaps: readonly GapLine[];
  /** Balances as of this block, and movements after it; -1: the chain has no earlier block. */
  readonly openNumber: number;
  /** Up to this block. Below `openNumber` + 1: the window has no block. */
  readonly closeNumber: number;
  /** Its last block, which must still be on the chain when the statement is complete. */
  readonly lastHash: string | undefined;
}

export interface Period {
  readonly projectId: string;
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

interface StateRow {
  readonly is_active: boolean;
  readonly first_number: number | null;
  readonly cursor_number: number | null;
  readonly head_number: number | null;
  readonly confirmed_number: number | null;
  readonly balances_checked_at: Date | null;
}

/** Finds the blocks of a period on a chain, and what is not known of them. The caller's transaction is one snapshot. */
export async function readWindow(sql: Sql, chainGid: string, period: Period): Promise<ChainWindow> {
  const state = await readState(sql, chainGid);
  const gaps: GapLine[] = state.is_active
    ? []
    : [gapOf({ kind: 'inactive_chain', chain_gid: chainGid, reason: 'the chain is not followed now' })];
  const { first_number: low, cursor_number: cursor } = state;
  if (low === null || cursor === null || cursor < low)
    return withoutBlocks(chainGid, state, [
      ...gaps,
      gapOf({ kind: 'no_blocks', chain_gid: chainGid, reason: 'no block of the chain is analysed' }),
    ]);
  const range = { chainGid, low, high: cursor };
  const first = await findBlockAt(sql, range, period.from);
  const behind = first && (await findBlockAt(sql, { ...range, low: first.number }, period.to));
  const last = await findBlockBelow(sql, chainGid, behind?.number ?? cursor + 1);
  const opening = await findBlockBelow(sql, chainGid, first?.number ?? cursor + 1);
  const isEmpty = first === undefined || last === undefined || last.number < first.number;
  const openNumber = opening?.number ?? low - 1;
  const closeNumber = isEmpty ? openNumber : last.number;
  if (opening === undefined)
    gaps.push(
      gapOf({
        ...{ kind: 'no_blocks', chain_gid: chainGid, to_block: low - 1 },
        reason: `no block before ${low} is stored, and its time is not before the start of the statement`,
      }),
    );
  if (behind === undefined) gaps.push(behindGap(chainGid, cursor, state.head_number));
  const details = isEmpty
    ? { count: 0, verification: {}, gaps: [] }
    : await readChainGaps(sql, {
        ...{ chainGid, projectId: period.projectId, low: first.number, high: last.number },
        finalNumber: state.confirmed_number ?? -1,
      });
  return {
    line: {
      ...headOf(chainGid, state),
      opening_block: opening ?? null,
      first_block: isEmpty ? null : first,
      last_block: isEmpty ? null : last,
      block_count: details.count,
      verification: details.verification,
    },
    gaps: [...gaps, ...details.gaps],
    openNumber,
    closeNumber,
    lastHash: isEmpty ? opening?.hash : last.hash,
  };
}

function behindGap(chainGid: string, cursor: number, head: number | null): GapLine {
  const isBehindHead = head !== null && head > cursor;
  return gapOf({
    ...{
      kind: isBehindHead ? 'not_analysed' : 'analysis_behind',
      chain_gid: chainGid,
      from_block: cursor + 1,
    },
    to_block: isBehindHead ? head : null,
    reason: isBehindHead
      ? 'these blocks are known and not analysed yet'
      : 'no block at the end of the statement or later is analysed: blocks of the period may follow',
  });
}

async function readState(sql: Sql, chainGid: string): Promise<StateRow> {
  const { rows } = await sql.query<StateRow>(
    `SELECT c.is_active, s.cursor_number, i.head_number, s.confirmed_number,
       CASE WHEN r.ended_at IS NULL THEN r.previous_at ELSE r.started_at END AS balances_checked_at,
       least((SELECT number FROM blocks WHERE chain_gid = c.gid AND status <> 'reorged' AND hash IS NOT NULL ORDER BY number LIMIT 1),
             (SELECT number FROM first_packed_blocks(c.gid, 0, s.cursor_number, 1))) AS first_number
     FROM blockchains c LEFT JOIN analyzer_states s ON s.chain_gid = c.gid LEFT JOIN ingestor_states i ON i.chain_gid = c.gid
     LEFT JOIN balance_rounds r ON r.chain_gid = c.gid WHERE c.gid = $1`,
    [chainGid],
  );
  return (
    rows[0] ?? {
      ...{ is_active: false, first_number: null, cursor_number: null, head_number: null },
      ...{ confirmed_number: null, balances_checked_at: null },
    }
  );
}

const headOf = (chainGid: string, state: StateRow) => ({
  type: 'chain' as const,
  chain_gid: chainGid,
  final_block: state.confirmed_number,
  balances_checked_at: state.balances_checked_at?.toISOString() ?? null,
});

function withoutBlocks(chainGid: string, state: StateRow, gaps: readonly GapLine[]): ChainWindow {
  return {
    line: {
      ...headOf(chainGid, state),
      ...{ opening_block: null, first_block: null, last_block: null, block_count: 0, verification: {} },
    },
    gaps,
    ...{ openNumber: -1, closeNumber: -1, lastHash: undefined },
  };
}

/** Clocks of miners differ, so times of Bitcoin's blocks go back by up to two hours: so many blocks are looked at. */
const LOOK_BACK = 144;

interface BlockRange {
  readonly chainGid: string;
  readonly low: number;
  readonly high: number;
}

/**
 * The first block of a range whose time is the moment or later. Undefined: all are earlier. The number is found by halving,
 * then blocks just below are looked at, because times of blocks need not ascend.
 */
async function findBlockAt(sql: Sql, range: BlockRange, moment: Date): Promise<BlockMark | undefined> {
  let { low, high } = range;
  let found: BlockMark | undefined;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const block = await readFirst(sql, { ...range, low: middle, high }, undefined);
    if (block === undefined || timeOf(block) >= moment.getTime()) {
      found = block ?? found;
      high = middle - 1;
    } else low = block.number + 1;
  }
  if (found === undefined) return undefined;
  const below = { ...range, low: Math.max(range.low, found.number - LOOK_BACK), high: found.number - 1 };
  return (await readFirst(sql, below, moment)) ?? found;
}

/** The last block below a number, with a time. */
async function findBlockBelow(sql: Sql, chainGid: string, number: number): Promise<BlockMark | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT number, hash, block_timestamp FROM last_canonical_block($1, $2)`,
    [chainGid, number - 1],
  );
  return rows[0] && toMark(rows[0]);
}

interface Row {
  readonly number: number;
  readonly hash: string;
  readonly block_timestamp: Date | null;
}

async function readFirst(
  sql: Sql,
  { chainGid, low, high }: BlockRange,
  since: Date | undefined,
): Promise<BlockMark | undefined> {
  if (low > high) return undefined;
  const { rows } = await sql.query<Row>(
    `SELECT number, hash, block_timestamp FROM canonical_blocks($1, $2, $3, $4)
     WHERE block_timestamp IS NOT NULL AND ($5::timestamptz IS NULL OR block_timestamp >= $5) ORDER BY number LIMIT 1`,
    [chainGid, low, high, since === undefined ? 16 : LOOK_BACK, since ?? null],
  );
  return rows[0] && toMark(rows[0]);
}

function toMark({ number, hash, block_timestamp: time }: Row): BlockMark {
  return { number, hash, time: time?.toISOString() ?? null };
}

const timeOf = ({ time }: BlockMark): number => Date.parse(time ?? '');
