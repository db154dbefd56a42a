import { counter } from '@chainwatch/telemetry';
import type { BalanceReader } from '../read/balance-reader.ts';
import type { BalanceStore } from '../store/balance-store.ts';
import { readChainState } from '../plan/chain-state.ts';
import type { BalanceEvent } from '../store/insert-events.ts';
import { planChanges } from '../plan/plan-changes.ts';
import { readTargets } from '../read/read-targets.ts';
import { moveToEnd, splitRead } from '../work/split-read.ts';
import { storeChanges } from '../store/store-changes.ts';
import { readWork, type WorkLimits } from '../work/read-work.ts';

export interface StepDeps {
  readonly store: BalanceStore;
  readonly client: BalanceReader;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly limits?: Partial<WorkLimits>;
}

/** `idle`: there is nothing to do. `waiting`: the analyzer has to move first. `done`: something was done. */
export type StepResult =
  | { readonly type: 'idle' }
  | { readonly type: 'waiting'; readonly reason?: string }
  | {
      readonly type: 'done';
      readonly events: readonly BalanceEvent[];
      readonly hasMore: boolean;
      readonly isBulk: boolean;
    };

export const READS_MAX = 500;
const TARGETS_MAX = 4_000;
const readingsTotal = counter('chainwatch_balance_readings_total', {
  description: 'Balances that the chain was asked for.',
});

/**
 * One piece of work: reads what is asked for, asks the chain, and writes the resulting changes in one transaction.
 * @throws ChainError when the node is at fault: the work stays where it is
 */
export async function runBalanceStep({
  store,
  client,
  clock,
  signal,
  limits,
}: StepDeps): Promise<StepResult> {
  const chainGid = client.network.gid;
  const readsMax = limits?.reads ?? READS_MAX;
  const work = await readWork(store.sql, client.network, {
    reads: readsMax,
    targets: limits?.targets ?? TARGETS_MAX,
  });
  if (work.readIds.length === 0) return { type: 'idle' };
  // Read after the work: nothing in the work is beyond this cursor.
  const { cursor, isHeld, isCursorOrphaned } = await readChainState(store.sql, chainGid);
  if (cursor === undefined || isHeld) return { type: 'waiting' };
  if (isCursorOrphaned)
    return {
      type: 'waiting',
      reason: `block ${cursor.number} was orphaned, the analyzer has to undo it first`,
    };
  if (work.isTooLarge) {
    await store.write((sql) => splitRead(sql, work.readIds[0]!));
    return { type: 'done', events: [], hasMore: true, isBulk: work.isBulk };
  }
  const answers = await readTargets(client, { targets: work.targets, cursor, signal }).catch(
    async (error: unknown) => {
      if (readsMax === 1 && !signal.aborted) await store.write((sql) => moveToEnd(sql, work.readIds));
      throw error;
    },
  );
  readingsTotal.add(work.targets.length, { chain_gid: chainGid });
  for (;;) {
    const plan = await store.snapshot((sql) => planChanges(sql, { chainGid, answers, cursor }));
    if (plan === undefined) return { type: 'waiting' };
    const events = await store.write((sql) =>
      storeChanges(sql, { chainGid, readIds: work.readIds, plan, now: clock() }),
    );
    if (events !== undefined) return { type: 'done', events, hasMore: work.hasMore, isBulk: work.isBulk };
  }
}
