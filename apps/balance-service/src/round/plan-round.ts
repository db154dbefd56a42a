// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import {
  planChanges,
  WAITING_BLOCKS,
  type Difference,
  type Plan,
  type VerifiedChange,
} from '../plan/plan-changes.ts';
import { readExplained, type ExplainedChain } from '../plan/read-explained.ts';
import { totalOf } from '../plan/sums.ts';
import type { BalanceVerification } from '../read/balance-reader.ts';
import type { Answers } from '../read/read-targets.ts';
import type { Doubt, Pair, RoundTarget } from './read-page.ts';

/** What the readings of a round mean. */
export interface RoundPlan {
  /** Differences that a second reading has shown too: they are told. */
  readonly told: Plan;
  /** Differences that one reading shows; in place of those that it has settled. */
  readonly doubted: readonly Difference[];
  /** Differences of a first reading that the second one has decided, one way or the other. */
  readonly settled: readonly Pair[];
}

interface RoundReadings {
  readonly chainGid: string;
  readonly answers: Answers;
  readonly targets: readonly (RoundTarget & { readonly doubt?: Doubt })[];
  readonly cursor: BlockRef;
  readonly verification: BalanceVerification;
  /** Nodes tell the state at their head, perhaps with a part of the next block. */
  readonly tellsHeadOnly: boolean;
}

/**
 * Compares what a round has read with what is known. A balance that transfers explain is left to the request that they
 * made. Undefined: the analyzer undid a block meanwhile, so that the answers are useless.
 */
export async function planRound(sql: Sql, readings: RoundReadings): Promise<RoundPlan | undefined> {
  const { chainGid, cursor, verification } = readings;
  const targets = new Map(readings.targets.map((target) => [pairKey(target), target]));
  const answers: Answers = {
    readings: readings.answers.readings.map((reading) => {
      const { base } = targets.get(pairKey(reading))!;
      return base === undefined ? reading : { ...reading, parent: base, baselineRaw: 0n };
    }),
    silent: [],
  };
  const plan = await planChanges(sql, { chainGid, answers, cursor, verification });
  if (plan === undefined) return undefined;
  const told: VerifiedChange[] = [];
  const doubted: Difference[] = [];
  const settled: Pair[] = [];
  for (const change of plan.changes) {
    const { since, doubt } = targets.get(pairKey(change.reading))!;
    const amountRaw = differenceOf(change);
    const isPersistent = readings.tellsHeadOnly && doubt !== undefined && persists(change, doubt);
    if (doubt !== undefined) settled.push(change.reading);
    if (doubt !== undefined && (isPersistent || (await isConfirmed(sql, readings, { change, doubt }))))
      told.push(narrow(change, since));
    // Also where the first reading has shown another one: since its block is still when there was none.
    else if (amountRaw !== 0n)
      doubted.push({
        ...pairOf(change.reading),
        amountRaw,
        block: change.reading.block,
        since: since ?? change.reading.parent?.number,
        // The other way round the readings in a row begin anew.
        first: doubt !== undefined && amountRaw * doubt.amountRaw > 0n ? doubt.first : undefined,
      });
  }
  // What a contract does not answer any more is not asked again.
  for (const target of readings.answers.silent) if (targets.get(pairKey(target))?.doubt) settled.push(target);
  return { told: { ...plan, changes: told }, doubted, settled };
}

/** What nothing explains; of an asset that was not known on the address, all of it. */
function differenceOf({ reading, adjustmentRaw, previousRaw, sums }: VerifiedChange): bigint {
  const isFirst = previousRaw === undefined && totalOf(sums) === 0n;
  return isFirst ? reading.amountRaw : adjustmentRaw;
}

/** Five second readings: so often none that waits lies in one direction alone. */
const PERSISTENT_BLOCKS = 5 * WAITING_BLOCKS;

/**
 * Whether all readings since the first one left something unexplained in one direction, though never the same: fees that a node does
 * not tell, or an address where something always waits. The last reading is told, and the balance is the node's again.
 */
function persists(change: VerifiedChange, doubt: Doubt): boolean {
  const { number } = change.reading.block;
  return (
    number > doubt.block.number &&
    number - doubt.first >= PERSISTENT_BLOCKS &&
    differenceOf(change) * doubt.amountRaw > 0n
  );
}

/** Nodes are behind by fewer blocks than this, or it is seen. */
const LAG_BLOCKS = 64;

/**
 * Coins have been corrected after two scans: whatever the balance is now is told. Otherwise the second reading gives the
 * difference too if it is the same, or has grown or shrunk by itself: a balance that moves
 * with every block, with nothing of the address between the readings. But not where it is the balance as it was some blocks
 * before: the node may be behind, as it was at the first reading.
 */
async function isConfirmed(
  sql: Sql,
  { chainGid, verification, tellsHeadOnly }: RoundReadings,
  { change, doubt }: { readonly change: VerifiedChange; readonly doubt: Doubt },
): Promise<boolean> {
  const amountRaw = differenceOf(change);
  const { block, amountRaw: doubted } = doubt;
  if (verification === 'proved') return amountRaw !== 0n;
  if (change.reading.block.number <= block.number || amountRaw * doubted <= 0n) return false;
  const isSame = amountRaw === doubted;
  if (tellsHeadOnly && !isSame) return false;
  if (!tellsHeadOnly && (await isAsBefore(sql, { gid: chainGid, verification }, change))) return false;
  if (!tellsHeadOnly && isSame) return true;
  const [between] = await readExplained(sql, { gid: chainGid, verification }, [
    {
      target: change.reading,
      after: block.number,
      until: isSame ? block.number + 1 : change.reading.block.number,
    },
  ]);
  return Object.keys(between!.sums).length === 0;
}

/** Whether what lacks is what the last blocks are known to have moved. */
async function isAsBefore(sql: Sql, chain: ExplainedChain, change: VerifiedChange): Promise<boolean> {
  const { reading } = change;
  const { number } = reading.block;
  const { rows } = await sql.query<{ number: number }>({
    name: 'read_moving_blocks',
    text: `SELECT x.block_number AS number FROM transaction_addresses ta JOIN transactions x ON x.id = ta.transaction_id
             WHERE ta.address_id = $1 AND x.chain_gid = $3 AND x.block_number > $4 AND x.block_number <= $5 AND x.status <> 'reorged'
           UNION SELECT block_number FROM block_changes
             WHERE address_id = $1 AND asset_gid = $2 AND block_number > $4 AND block_number <= $5`,
    values: [reading.addressId, reading.assetGid, chain.gid, number - LAG_BLOCKS, number],
  });
  const explained = await readExplained(
    sql,
    chain,
    rows.map((row) => ({ target: reading, after: row.number - 1, until: number })),
  );
  return explained.some(({ sums }) => totalOf(sums) === -differenceOf(change));
}

/** It happened after the last reading that showed no difference. */
function narrow(change: VerifiedChange, since = 0): VerifiedChange {
  return {
    ...change,
    adjustedSince: Math.max(change.adjustedSince, since),
    since: Math.max(change.since, since),
  };
}

const pairOf = ({ addressId, assetGid }: Pair): Pair => ({ addressId, assetGid });

const pairKey = ({ addressId, assetGid }: Pair): string => `${addressId} ${assetGid}`;
