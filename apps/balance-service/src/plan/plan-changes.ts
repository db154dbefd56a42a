// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { readChainState, type ChainState } from './chain-state.ts';
import { readBaseBlocks, type BaseBlock } from './base-blocks.ts';
import { explainChange, type ExplainedChange } from './explain-change.ts';
import { planChange } from './plan-change.ts';
import { readAnchors, type Anchor } from './read-anchors.ts';
import { readExplained, type Explained } from './read-explained.ts';
import { addSums, totalOf } from './sums.ts';
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
  /** What a reading shows and nothing explains, where it may be of transactions that wait for a block. */
  readonly doubts: readonly Difference[];
}

/** It is told if a second reading, blocks later, gives it too. */
export interface Difference extends Pick<Reading, 'addressId' | 'assetGid' | 'block'> {
  /** Base units, signed. */
  readonly amountRaw: bigint;
  /** The block after which it began. */
  readonly since: number | undefined;
  /** The block of the first reading in a row that has shown one in this direction; undefined: this one. */
  readonly first?: number | undefined;
}

/**
 * Plans what the answers change. The caller's transaction is one snapshot, in which transactions, blocks and the
 * analyzer's state fit together. Undefined: while the chain was asked, the analyzer undid a block or began to
 * recover, so that the answers are useless.
 *
 * @param verification what stands behind the readings
 * @param doubtsUnexplained the node's answers may contain transactions that wait for a block: what nothing explains is left
 *   out, and is among the doubts
 */
export async function planChanges(
  sql: Sql,
  {
    chainGid,
    answers: { readings, silent },
    cursor,
    verification,
    doubtsUnexplained = false,
  }: {
    readonly chainGid: string;
    readonly answers: Answers;
    readonly cursor: BlockRef;
    readonly verification: BalanceVerification;
    readonly doubtsUnexplained?: boolean;
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
    ...readings.map((reading, at) => ({ reading, anchor: anchorOf(reading, anchors[at]!, corrections) })),
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
  const doubts: Difference[] = [];
  const changes = known.flatMap(({ reading, anchor }, position) => {
    const of = { explained: explained[position]!, verification };
    const doubt = doubtsUnexplained ? doubtOf(reading, anchor, totalOf(of.explained.sums)) : undefined;
    if (doubt !== undefined) doubts.push(doubt);
    const amountRaw = reading.amountRaw - (doubt?.amountRaw ?? 0n);
    const change = toChange({ ...reading, amountRaw }, anchor, of);
    return change === undefined ? [] : [change];
  });
  return { state, changes, corrections, baseBlocks, doubts };
}

/**
 * Blocks for which a transaction may wait where a node tells the state at its head with those that wait: those of TRON live for
 * 20 blocks unless their sender says otherwise.
 */
export const WAITING_BLOCKS = 40;

/**
 * Undefined where all is explained, and where the rest cannot be told apart: no balance is below zero, and a first reading
 * has what was mined right after it.
 */
function doubtOf(
  { addressId, assetGid, block, amountRaw }: Reading,
  { last }: Anchor,
  explainedRaw: bigint,
): Difference | undefined {
  if (last === undefined || last.block.number > block.number) return undefined;
  const expectedRaw = last.amountRaw + explainedRaw;
  if (amountRaw === expectedRaw || expectedRaw < 0n) return undefined;
  const isNew = block.number - (last.firstNumber ?? -Infinity) <= WAITING_BLOCKS;
  if (isNew && amountRaw === last.amountRaw) return undefined;
  return { addressId, assetGid, block, amountRaw: amountRaw - expectedRaw, since: last.block.number };
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

/** With what was found since: it is told under its own reason, and the adjustment that was told in its place is taken back. */
function anchorOf(reading: Reading, stored: Anchor, corrections: readonly Correction[]): Anchor {
  const anchor = withBaseline(reading, stored);
  const { last } = anchor;
  if (last?.sums === undefined) return anchor;
  const { addressId, assetGid } = reading;
  const mine = corrections.filter(
    ({ target }) => target.addressId === addressId && target.assetGid === assetGid,
  );
  return {
    ...anchor,
    last: { ...last, sums: mine.reduce((sums, { shift }) => addSums(sums, shift), last.sums) },
  };
}

function withBaseline(reading: Reading, anchor: Anchor): Anchor {
  if (anchor.last !== undefined || reading.parent === undefined || reading.baselineRaw === undefined)
    return anchor;
  return { ...anchor, last: { amountRaw: reading.baselineRaw, block: reading.parent, sums: {} } };
}
