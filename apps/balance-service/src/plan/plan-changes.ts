import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { readChainState, type ChainState } from './chain-state.ts';
import { readBaseBlocks, type BaseBlock } from './base-blocks.ts';
import { planChange, type Change } from './plan-change.ts';
import { readAnchors, type Anchor } from './read-anchors.ts';
import { readExplained } from './read-explained.ts';
import { readRetroactiveCorrections, type Correction } from './read-retroactive-corrections.ts';
import type { Answers } from '../read/read-targets.ts';
import type { Reading } from '../read/target.ts';

export interface Plan {
  readonly state: ChainState;
  readonly changes: readonly Change[];
  readonly corrections: readonly Correction[];
  readonly baseBlocks: readonly BaseBlock[];
}

/**
 * Plans what the answers change. The caller's transaction is one snapshot, in which transactions, blocks and the
 * analyzer's state fit together. Undefined: while the chain was asked, the analyzer undid a block or began to
 * recover, so that the answers are useless.
 */
export async function planChanges(
  sql: Sql,
  {
    chainGid,
    answers: { readings, silent },
    cursor,
  }: { readonly chainGid: string; readonly answers: Answers; readonly cursor: BlockRef },
): Promise<Plan | undefined> {
  const corrections = await readRetroactiveCorrections(
    sql,
    chainGid,
    [...readings, ...silent].filter((target) => target.isRetroactive),
  );
  const [state, baseBlocks, anchors] = await Promise.all([
    readChainState(sql, chainGid),
    readBaseBlocks(sql, chainGid, [cursor, ...[...readings, ...corrections].map(({ block }) => block)]),
    readAnchors(sql, chainGid, [...readings, ...silent]),
  ]);
  if (state.isHeld || baseBlocks === undefined) return undefined;
  const gone = silent.flatMap((target, position) => {
    // The contract was created in an orphan: its balance no longer exists.
    const anchor = anchors[readings.length + position]!;
    return anchor.notified?.isOrphaned === true
      ? [{ reading: { ...target, block: cursor, amountRaw: 0n, baselineRaw: undefined }, anchor }]
      : [];
  });
  const known = [
    ...readings.map((reading, position) => ({ reading, anchor: withBaseline(reading, anchors[position]!) })),
    ...gone,
  ];
  const explained = await readExplained(
    sql,
    chainGid,
    known.map(({ reading, anchor }) => ({
      target: reading,
      after: anchor.last?.block.number ?? reading.block.number,
      until: reading.block.number,
    })),
  );
  return {
    state,
    changes: known
      .map(({ reading, anchor }, position) => planChange(reading, anchor, explained[position]!))
      .filter((change) => change !== undefined),
    corrections,
    baseBlocks,
  };
}

function withBaseline(reading: Reading, anchor: Anchor): Anchor {
  if (anchor.last !== undefined || reading.parent === undefined || reading.baselineRaw === undefined)
    return anchor;
  return { ...anchor, last: { amountRaw: reading.baselineRaw, block: reading.parent } };
}
