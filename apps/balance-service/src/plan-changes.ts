import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { readChainState, type ChainState } from './chain-state.ts';
import { planChange, type Change } from './plan-change.ts';
import { readAnchors, type Anchor } from './read-anchors.ts';
import { readExplained } from './read-explained.ts';
import { readLateCorrections, type Correction } from './read-late-corrections.ts';
import type { Answers } from './read-targets.ts';
import type { Reading } from './target.ts';

export interface Plan {
  readonly state: ChainState;
  readonly changes: readonly Change[];
  readonly corrections: readonly Correction[];
}

/**
 * What the answers change, seen against one snapshot of the database (the caller's transaction), in which transactions,
 * blocks and the analyzer's state fit each other. Undefined: the analyzer undid a block, or began to recover, while the
 * chain was asked, and the answers are worth nothing.
 */
export async function planChanges(sql: Sql, chainGid: string, { readings, silent }: Answers, cursor: BlockRef): Promise<Plan | undefined> {
  const state = await readChainState(sql, chainGid);
  if (state.isHeld || !(await areProcessed(sql, chainGid, [cursor.hash, ...readings.map((reading) => reading.block.hash)]))) return undefined;
  const anchors = await readAnchors(sql, chainGid, [...readings, ...silent]);
  const gone = silent.flatMap((target, position) => {
    // A contract that was created in an orphan: what it told is no more.
    const anchor = anchors[readings.length + position]!;
    return anchor.told?.isOrphaned === true ? [{ reading: { ...target, block: cursor, amountRaw: 0n, baselineRaw: undefined }, anchor }] : [];
  });
  const known = [...readings.map((reading, position) => ({ reading, anchor: withBaseline(reading, anchors[position]!) })), ...gone];
  const explained = await readExplained(sql, chainGid, known.map(({ reading, anchor }) => ({ target: reading, after: anchor.last?.block.number ?? reading.block.number, until: reading.block.number })));
  return {
    state,
    changes: known.map(({ reading, anchor }, position) => planChange(reading, anchor, explained[position]!)).filter((change) => change !== undefined),
    corrections: await readLateCorrections(sql, chainGid, [...readings, ...silent].filter((target) => target.isLate)),
  };
}

function withBaseline(reading: Reading, anchor: Anchor): Anchor {
  if (anchor.last !== undefined || reading.parent === undefined || reading.baselineRaw === undefined) return anchor;
  return { ...anchor, last: { amountRaw: reading.baselineRaw, block: reading.parent } };
}

/** Every block that was asked at is one whose transfers are stored, now. */
async function areProcessed(sql: Sql, chainGid: string, hashes: readonly string[]): Promise<boolean> {
  const { rows } = await sql.query(`SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = ANY($2) AND status IN ('new', 'reorged') LIMIT 1`, [chainGid, [...new Set(hashes)]]);
  return rows.length === 0;
}
