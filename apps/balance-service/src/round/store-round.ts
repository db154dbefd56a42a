// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/db';
import { storeChanges } from '../store/store-changes.ts';
import { deleteDoubts, insertDoubts } from '../store/store-doubts.ts';
import type { BalanceEvent } from '../store/insert-events.ts';
import type { RoundPlan } from './plan-round.ts';

/**
 * In an open transaction of the chain's owner, writes what a round has found. Returns the events of what is told.
 * Undefined: the plan's blocks have changed, and nothing is written.
 */
export async function storeRound(
  sql: Sql,
  { chainGid, plan, now }: { readonly chainGid: string; readonly plan: RoundPlan; readonly now: Date },
): Promise<BalanceEvent[] | undefined> {
  const { told, doubted, settled } = plan;
  if (told.changes.length + doubted.length + settled.length === 0) return [];
  // Also where nothing is told: a difference counts only if its block still stands.
  const events = await storeChanges(sql, { chainGid, readIds: [], plan: told, now });
  if (events === undefined) return undefined;
  await deleteDoubts(sql, settled);
  await insertDoubts(sql, chainGid, doubted);
  return events;
}
