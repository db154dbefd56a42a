// SPDX-License-Identifier: Apache-2.0
import { gauge, onScrape } from '@chainwatch/platform/telemetry';
import type { ChannelQueue } from './channel-queue.ts';

const jobs = gauge('chainwatch_delivery_jobs', {
  description:
    'Deliveries in memory of this process: waiting in the queues of their channels, or requests under way.',
});
const age = gauge('chainwatch_delivery_queue_age_seconds', {
  description:
    'How long the first job of a queue in memory has been due, at most; a slow receiver shows here, too.',
});

/** Tells at each scrape how full the queues of the channels are. Returns stop. */
export function observeQueues(queues: Iterable<ChannelQueue>, now: () => number): () => void {
  return onScrape(() => {
    let [waiting, sending, oldestMs] = [0, 0, now()];
    for (const queue of queues) {
      waiting += queue.queued;
      sending += queue.active;
      oldestMs = Math.min(oldestMs, queue.oldestDueMs ?? oldestMs);
    }
    jobs.set(waiting, { state: 'waiting' });
    jobs.set(sending, { state: 'sending' });
    age.set((now() - oldestMs) / 1_000);
  });
}
