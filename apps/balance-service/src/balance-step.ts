import type { Sql } from '@chainwatch/db';
import { counter } from '@chainwatch/telemetry';
import type { BalanceReader } from './balance-reader.ts';
import { readChainState } from './chain-state.ts';
import type { BalanceEvent } from './insert-events.ts';
import { planChanges } from './plan-changes.ts';
import { readTargets } from './read-targets.ts';
import { moveToEnd, splitRead } from './split-read.ts';
import { storeChanges } from './store-changes.ts';
import { takeWork, type WorkLimits } from './take-work.ts';

export interface StepDeps {
  /** One session: what is asked and written goes through it, in transactions of its own. */
  readonly session: Sql;
  readonly client: BalanceReader;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly limits?: Partial<WorkLimits>;
}

/** `idle`: there is nothing to do. `waiting`: the analyzer has to move first. `done`: something was done. */
export type StepResult = { readonly type: 'idle' } | { readonly type: 'waiting'; readonly reason?: string } | { readonly type: 'done'; readonly events: readonly BalanceEvent[]; readonly hasMore: boolean };

export const READS_MAX = 500;
const TARGETS_MAX = 4_000;
const readingsTotal = counter('chainwatch_balance_readings_total', { description: 'Balances that the chain was asked for.' });

/**
 * One piece of work: what is asked for, the chain's answers, what they change, written in one transaction.
 * @throws ChainError when the node is at fault: the work stays where it is
 */
export async function runBalanceStep({ session, client, clock, signal, limits }: StepDeps): Promise<StepResult> {
  const chainGid = client.network.gid;
  const readsMax = limits?.reads ?? READS_MAX;
  const work = await takeWork(session, client.network, { reads: readsMax, targets: limits?.targets ?? TARGETS_MAX });
  if (work.readIds.length === 0) return { type: 'idle' };
  // Read after the work: nothing in it stands beyond this cursor.
  const { cursor, isHeld, isCursorOrphaned } = await readChainState(session, chainGid);
  if (cursor === undefined || isHeld) return { type: 'waiting' };
  if (isCursorOrphaned) return { type: 'waiting', reason: `block ${cursor.number} was orphaned, the analyzer has to undo it first` };
  if (work.isTooLarge) {
    await splitRead(session, work.readIds[0]!);
    return { type: 'done', events: [], hasMore: true };
  }
  const answers = await readTargets(client, work.targets, cursor, signal).catch(async (error: unknown) => {
    if (readsMax === 1 && !signal.aborted) await moveToEnd(session, work.readIds);
    throw error;
  });
  readingsTotal.add(work.targets.length, { chain_gid: chainGid });
  for (;;) {
    const plan = await inTransaction(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', () => planChanges(session, chainGid, answers, cursor));
    if (plan === undefined) return { type: 'waiting' };
    const events = await inTransaction(session, 'BEGIN', () => storeChanges(session, chainGid, work.readIds, plan, clock()));
    if (events !== undefined) return { type: 'done', events, hasMore: work.hasMore };
  }
}

async function inTransaction<T>(session: Sql, begin: string, work: () => Promise<T>): Promise<T> {
  await session.query(begin);
  try {
    const result = await work();
    await session.query('COMMIT');
    return result;
  } catch (error) {
    // A session that is gone has nothing to roll back.
    await session.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
