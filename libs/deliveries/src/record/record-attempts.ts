import { isUncounted } from '@chainwatch/channels';
import type { Database } from '@chainwatch/db';
import type { ChannelState } from './channel-state.ts';
import { decideOutcome, type DeliveryOutcome, type OutcomeOptions } from './decide-outcome.ts';
import { insertAttempts } from './insert-attempts.ts';
import { insertChannelFailed } from './insert-channel-failed.ts';
import { lockChannels } from './lock-channels.ts';
import { parkPendingDeliveries } from './park-pending-deliveries.ts';
import { updateChannel } from './update-channel.ts';
import { updateDeliveries } from './update-deliveries.ts';
import type { FinishedAttempt } from './finished-attempt.ts';

/**
 * Writes attempts and their effects on deliveries and channels in one transaction. Returns the states of the
 * channels that were read, by id.
 */
export async function recordAttempts(
  db: Database,
  finished: readonly FinishedAttempt[],
  options: OutcomeOptions,
): Promise<ReadonlyMap<string, ChannelState>> {
  const touched = finished.filter(({ attempt, isChannelClean }) => isFailure(attempt) || !isChannelClean);
  const channelIds = [...new Set(touched.map(({ job }) => job.channelId))];
  return db.transaction(async (sql) => {
    const before = await lockChannels(sql, channelIds);
    const { outcomes, states } = decideOutcomes(finished, before, options);
    await insertAttempts(sql, finished);
    await updateDeliveries(sql, finished, outcomes);
    for (const [id, after] of states) {
      const { status, consecutiveFailures } = before.get(id)!;
      if (status === after.status && consecutiveFailures === after.consecutiveFailures) continue;
      await updateChannel(sql, { after, wasActive: status === 'active' }, options.probeIntervalMs);
      if (after.status === 'failed' && status !== 'failed') await insertChannelFailed(sql, after);
      if (status === 'active' && after.status !== 'active') await parkPendingDeliveries(sql, id);
    }
    return states;
  });
}

function isFailure(attempt: FinishedAttempt['attempt']): boolean {
  return attempt.errorCode !== undefined && !isUncounted(attempt);
}

/** Decides one after the other: each outcome changes the state for the channel's next attempt. */
function decideOutcomes(
  finished: readonly FinishedAttempt[],
  before: ReadonlyMap<string, ChannelState>,
  options: OutcomeOptions,
): { outcomes: readonly DeliveryOutcome[]; states: ReadonlyMap<string, ChannelState> } {
  const states = new Map(before);
  const outcomes = finished.map((one) => {
    const { outcome, state } = decideOutcome(one, states.get(one.job.channelId), options);
    if (state !== undefined) states.set(state.id, state);
    return outcome;
  });
  return { outcomes, states };
}
