import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { readChainState, type ChainState } from './chain-state.ts';
import { readBaseBlocks, type BaseBlock } from './base-blocks.ts';
import { explainChange, type ExplainedChange } from './explain-change.ts';
import { planChange } from './plan-change.ts';
import { readAnchors, type Anchor } from './read-anchors.ts';
import { readExplained, type Explained } from './read-explained.ts';
import { totalOf } from './sums.ts';
import { readRetroactiveCorrections, type Correction } from './read-retroactive-corrections.ts';
import type { Answers } from '../read/read-targets.ts';
import type { BalanceVerification } from '../read/balance-reader.ts';
import type { Reading } from '../read/target.ts';

/** A change, and what stands behind the reading. */
export interface VerifiedChange extends ExplainedChange {
  readonly verification: BalanceVerification | 'unproved';
}

export interface Plan {
  readonly state: ChainState;
  readonly changes: readonly VerifiedChange[];
  readonly corrections: readonly Correction[];
  readonly baseBlocks: readonly BaseBlock[];
}

/**
 * Plans what the answers change. The caller's transaction is one snapshot, in which transactions, blocks and the
 * analyzer's state fit together. Undefined: while the chain was asked, the analyzer undid a block or began to
 * recover, so that the answers are useless.
 *
 * @param verification what stands behind the readings
 */
export async function planChanges(
  sql: Sql,
  {
    chainGid,
    answers: { readings, silent },
    cursor,
    verification,
  }: {
    readonly chainGid: string;
    readonly answers: Answers;
    readonly cursor: BlockRef;
    readonly verification: BalanceVerification;
  },
): Promise<Plan | undefined> {
  const chain = { gid: chainGid, verification };
  const corrections = await readRetroactiveCorrections(
    sql,
    chain,
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
    chain,
    known.map(({ reading, anchor }) => ({
      target: reading,
      // Nothing is known of a first balance but what its own block did.
      after: anchor.last?.block.number ?? reading.parent?.number ?? reading.block.number,
      until: reading.block.number,
    })),
  );
  return {
    state,
    changes: known.flatMap(({ reading, anchor }, position) => {
      const change = toChange(reading, anchor, { explained: explained[position]!, verification });
      return change === undefined ? [] : [change];
    }),
    corrections,
    baseBlocks,
  };
}

function toChange(
  reading: Reading,
  anchor: Anchor,
  {
    explained: { sums, isDoubted },
    verification,
  }: { readonly explained: Explained; readonly verification: BalanceVerification },
): VerifiedChange | undefined {
  const change = planChange(reading, anchor, totalOf(sums));
  return (
    change && {
      ...explainChange(change, anchor, sums),
      verification: verify(verification, { isDoubted, adjustmentRaw: change.adjustmentRaw }),
    }
  );
}

/** Coins that no block has told were in an answer of a node. */
function verify(
  verification: BalanceVerification,
  { isDoubted, adjustmentRaw }: { readonly isDoubted: boolean; readonly adjustmentRaw: bigint },
): VerifiedChange['verification'] {
  if (verification === 'proved') return adjustmentRaw === 0n ? 'proved' : 'attested';
  return isDoubted ? 'unproved' : verification;
}

function withBaseline(reading: Reading, anchor: Anchor): Anchor {
  if (anchor.last !== undefined || reading.parent === undefined || reading.baselineRaw === undefined)
    return anchor;
  return { ...anchor, last: { amountRaw: reading.baselineRaw, block: reading.parent, sums: {} } };
}
