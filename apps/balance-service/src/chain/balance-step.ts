// SPDX-License-Identifier: Apache-2.0
import { ChainError, type BlockRef } from '@chainwatch/chain-core';
import { counter, withSpan } from '@chainwatch/platform/telemetry';
import type { BalanceReader } from '../read/balance-reader.ts';
import type { BalanceStore } from '../store/balance-store.ts';
import { readChainState } from '../plan/chain-state.ts';
import type { BalanceEvent } from '../store/insert-events.ts';
import { planChanges } from '../plan/plan-changes.ts';
import { readTargets } from '../read/read-targets.ts';
import { moveToEnd, splitRead } from '../work/split-read.ts';
import { storeChanges } from '../store/store-changes.ts';
import { setAsidePoison, setAsideUnanswered, type Settle } from './set-aside-poison.ts';
import { readWork, type WorkLimits } from '../work/read-work.ts';

export interface StepDeps {
  readonly store: BalanceStore;
  readonly client: BalanceReader;
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  readonly limits?: Partial<WorkLimits>;
  /** Second readings are made: what the node may have told too early is left to them. */
  readonly hasRounds?: boolean;
  /** The step failed before, and maybe because of one balance: it is found and set aside first. */
  readonly isSuspect?: boolean;
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
/** As many further traces does the span of a reading name: the limit of OpenTelemetry's exporters. */
const LINKS_MAX = 128;
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
  hasRounds = false,
  isSuspect = false,
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
  const settle = createSettle({ store, client, clock, signal, hasRounds }, cursor);
  const suspects = { chainGid, targets: work.targets, cursor, settle };
  const setAside: StepResult = { type: 'done', events: [], hasMore: true, isBulk: work.isBulk };
  if (isSuspect && (await setAsidePoison(store, suspects))) return setAside;
  let events: BalanceEvent[] | undefined;
  try {
    events = await settle.store(await settle.read(work.targets), work.readIds, store.write);
  } catch (error) {
    if (!(error instanceof ChainError) || readsMax > 1 || signal.aborted) throw error;
    if (await setAsideUnanswered(store, client, { ...suspects, signal })) return setAside;
    await store.write((sql) => moveToEnd(sql, work.readIds));
    throw error;
  }
  if (events === undefined) return { type: 'waiting' };
  return { type: 'done', events, hasMore: work.hasMore, isBulk: work.isBulk };
}

function createSettle(
  { store, client, clock, signal, hasRounds }: Omit<StepDeps, 'limits' | 'isSuspect'>,
  cursor: BlockRef,
): Settle {
  const chainGid = client.network.gid;
  return {
    async read(targets) {
      const [first, ...others] = new Set(targets.flatMap(({ traceparent }) => traceparent ?? []));
      const answers = await withSpan(
        'read balances',
        {
          ...{ traceparent: first, links: others.slice(0, LINKS_MAX), kind: 'client' },
          attributes: { chain_gid: chainGid, 'block.number': cursor.number, balances: targets.length },
        },
        () => readTargets(client, { targets, cursor, signal }),
      );
      readingsTotal.add(targets.length, { chain_gid: chainGid });
      return answers;
    },
    async store(answers, readIds, write) {
      const verification = client.verification ?? 'attested';
      const doubtsUnexplained = hasRounds === true && client.tellsHeadOnly === true;
      for (;;) {
        const plan = await store.snapshot((sql) =>
          planChanges(sql, { chainGid, answers, cursor, verification, doubtsUnexplained }),
        );
        if (plan === undefined) return undefined;
        const events = await write((sql) => storeChanges(sql, { chainGid, readIds, plan, now: clock() }));
        if (events !== undefined) return events;
      }
    },
  };
}
