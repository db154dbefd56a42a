import { Signal } from '@chainwatch/chain-core';
import { CHANNEL_KINDS } from '@chainwatch/channels';
import { AttemptStarter, type Senders } from './attempts/attempt-starter.ts';
import { ChannelQueues } from './channel-queue/channel-queues.ts';
import { observeQueues } from './channel-queue/observe-queues.ts';
import { JobsInMemory } from './channel-queue/jobs-in-memory.ts';
import { shareOf, type ChannelShares } from './channel-shares.ts';
import { createChannelStore } from './channel-store.ts';
import { findBacklogs } from './claim/claim-backlogs.ts';
import { ClaimLoop } from './claim/claim-loop.ts';
import { Leftovers } from './claim/leftovers.ts';
import { completeOptions, type DeliveryDependencies, type DeliveryOptions } from './delivery-options.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { postponeDeliveries } from './queue/postpone-deliveries.ts';
import { Recorder } from './record/recorder.ts';
import { createSteadyClock } from './steady-clock.ts';

export interface DeliveryEngine {
  readonly dispatcher: Dispatcher;
  /** Gives back waiting deliveries of channels that another replica owns now, and finds those of channels that came. */
  changeShare(): Promise<void>;
  /** Whether attempts of a share's channels are under way. */
  isSending(share: string): boolean;
  /** Stops taking work, gives queued jobs back, finishes attempts under way and their records. */
  stop(): Promise<void>;
}

/** Sends deliveries: a queue for each channel in memory, the deliveries table behind them. See README.md. */
export function createDeliveryEngine(
  dependencies: DeliveryDependencies,
  given: Partial<DeliveryOptions>,
  members: Pick<ChannelShares, 'owns' | 'begin' | 'partitions'>,
): DeliveryEngine {
  const options = completeOptions(given);
  const { db, planned, logger, workers, random = Math.random, now = Date.now } = dependencies;
  const steady = createSteadyClock(now);
  const channels = createChannelStore(planned, dependencies.open);
  const jobs = new JobsInMemory(options.visibilityMs);
  const queues = new ChannelQueues({ jobs, options, logger, now: steady });
  const stopObserving = observeQueues(queues, now);
  const wake = new Signal();
  const stored = { db, planned, channels, options, logger, random, now };
  const recorder = new Recorder({ ...stored, health: workers?.of('records') });
  const senders = createSenders(dependencies, options);
  const starter = new AttemptStarter({
    ...{ queues, recorder, senders, trace: dependencies.trace, onAttempt: dependencies.onAttempt },
    ...{ wake, options, logger, now: steady, owns: members.owns },
  });
  const claiming = { db, channels, queues, jobs, members, options, logger, now: steady };
  const leftovers = new Leftovers(claiming);
  const claims = new ClaimLoop({ ...claiming, leftovers, health: workers?.of('claims') }, wake);
  const dispatcher = new Dispatcher({
    ...{ db, planned, channels, queues, members, wake, options, logger },
    health: workers?.of('dispatch'),
  });
  const giveBack = (ids: readonly string[]): Promise<void> => postponeDeliveries(db, ids, 0);
  return {
    dispatcher,
    async changeShare() {
      const giveLostBack = (): Promise<void> =>
        giveBack(queues.clear(({ channel }) => !members.owns(channel.id)));
      // The next owner does not wait for a batch of ours that cannot be stored.
      await giveLostBack();
      // What is on its way would be planned for the channels that came, ahead of older events that only the table has.
      await dispatcher.drain();
      await dispatcher.between(async () => {
        // Before a share counts that was lost and came again: others have claimed its rows meanwhile.
        await giveLostBack();
        members.begin();
        await leftovers.find();
        await findBacklogs(claiming);
      });
      wake.notify();
    },
    isSending: (share) =>
      [...queues].some(({ channel, active }) => active > 0 && shareOf(channel.id) === share),
    async stop() {
      stopObserving();
      dispatcher.close();
      await dispatcher.drain();
      queues.close();
      starter.close();
      await claims.stop();
      await giveBack(queues.clear(() => true)).catch(() => undefined);
      await starter.drain();
      await recorder.stop();
      await closeSenders(senders);
    },
  };
}

function createSenders(context: DeliveryDependencies, { kinds }: Pick<DeliveryOptions, 'kinds'>): Senders {
  return new Map(CHANNEL_KINDS.map((one) => [one.kind, one.createSender(context, kinds[one.kind] ?? {})]));
}

async function closeSenders(senders: Senders): Promise<void> {
  await Promise.all([...senders.values()].map(async (sender) => sender.close?.()));
}
