// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { Signal } from '@chainwatch/chain-core';
import { CHANNEL_KINDS } from '@chainwatch/channels';
import { AttemptStarter, type Senders } from './attempts/attempt-starter.ts';
import { ChannelQueues } from './attempts/channel-queues.ts';
import { observeQueues } from './attempts/observe-queues.ts';
import { shareOf, type ChannelShares } from './channel-shares.ts';
import { createChannelStore } from './channel-store.ts';
import { ClaimLoop } from './claim/claim-loop.ts';
import { completeOptions, type DeliveryDependencies, type DeliveryOptions } from './delivery-options.ts';
import { createMessageNames } from './names/message-names.ts';
import { ProofPreparer } from './proofs/proof-preparer.ts';
import { ChannelActivity } from './record/channel-activity.ts';
import { Recorder } from './record/recorder.ts';
import { Scheduler } from './schedule/scheduler.ts';

export interface DeliveryEngine {
  /** Events may have come. Which ones, the table says. */
  ring(): void;
  /** Channels came to this replica: it looks for their deliveries. */
  gain(): void;
  /** Starts nothing more of a share. Resolves when its attempts under way are on record, or after a time limit. */
  leave(share: string): Promise<void>;
  /** Stops taking work, finishes attempts under way and their records. */
  stop(): Promise<void>;
}

const LEAVE_LOOK_MS = 20;
/** For what comes of an attempt to be stored. */
const RECORD_MS = 5_000;

/** Sends deliveries: the table is the queue, and each channel has one owner. See README.md. */
export function createDeliveryEngine(
  dependencies: DeliveryDependencies,
  given: Partial<DeliveryOptions>,
  members: Pick<ChannelShares, 'owns' | 'partitions'>,
): DeliveryEngine {
  const options = completeOptions(given);
  const { db, planned, logger, workers, random = Math.random, now = Date.now } = dependencies;
  const steady = createSteadyClock(now);
  const channels = createChannelStore(planned, dependencies.open);
  const queues = new ChannelQueues({ options, logger, now: steady });
  const stopObserving = observeQueues(queues, now);
  const wake = new Signal();
  const base = { db, planned, channels, options, logger };
  const activity = new ChannelActivity({ db, logger, now });
  const recorder = new Recorder({ ...base, activity, random, now, health: workers?.of('records') });
  const senders: Senders = new Map(
    CHANNEL_KINDS.map((one) => [one.kind, one.createSender(dependencies, options.kinds[one.kind] ?? {})]),
  );
  const names = createMessageNames(dependencies);
  const starter = new AttemptStarter({
    ...{ queues, recorder, senders, names, trace: dependencies.trace, onAttempt: dependencies.onAttempt },
    ...{ wake, options, logger, now: steady, owns: members.owns },
  });
  const proofs = new ProofPreparer({
    ...{ db, options, logger, publicUrl: dependencies.publicUrl, now: steady },
    onPrepared: (channelId) => claims.lookAt(channelId),
  });
  const claims = new ClaimLoop({
    ...{ ...base, proofs, queues, members, wake, now: steady },
    health: workers?.of('claims'),
  });
  const scheduler = new Scheduler({
    ...{ ...base, now: steady, health: workers?.of('dispatch') },
    onStored: (of) => claims.offer(of),
    onExpressionFaults: dependencies.onExpressionFaults,
  });
  return {
    ring: () => scheduler.ring(),
    gain: () => claims.lookAgain(),
    async leave(share) {
      const untilMs = performance.now() + options.attemptTimeoutMs + RECORD_MS;
      const listOwn = () => [...queues].filter(({ channel }) => shareOf(channel.id) === share);
      for (const queue of listOwn()) queues.clear(queue);
      while (listOwn().some(({ ids }) => ids.size > 0) && performance.now() < untilMs)
        await delay(LEAVE_LOOK_MS);
    },
    async stop() {
      stopObserving();
      await Promise.all([scheduler.stop(), claims.stop(), proofs.stop()]);
      starter.close();
      await starter.drain();
      await recorder.stop();
      await activity.stop();
      await Promise.all([...senders.values()].map(async (sender) => sender.close?.()));
    },
  };
}

/** Milliseconds of a clock that never goes back: when the given one is set back, it goes on from where it was. */
export function createSteadyClock(now: () => number): () => number {
  let [lastMs, readAtMs] = [now(), performance.now()];
  return () => {
    const atMs = performance.now();
    lastMs = Math.max(now(), lastMs + atMs - readAtMs);
    readAtMs = atMs;
    return lastMs;
  };
}
