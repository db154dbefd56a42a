import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import { isOpen } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import { claimDueDeliveries } from '../queue/claim-due-deliveries.ts';
import { parkDueDeliveries } from '../queue/park-due-deliveries.ts';
import { postponeDeliveries } from '../queue/postpone-deliveries.ts';
import { CLAIM_MAX, type ClaimDeps } from './claim-deps.ts';

/** Claims due rows: retries, tests, and those of a dead owner. True: there may be more. */
export async function claimDue(deps: ClaimDeps): Promise<boolean> {
  const { db, queues, members, options } = deps;
  const limit = Math.min(CLAIM_MAX, queues.room);
  if (limit <= 0) return false;
  const full = [...queues].filter(({ room }) => room <= 0);
  const { jobs, parkedCount } = await claimDueDeliveries(db, {
    limit,
    excludedChannelIds: full.map(({ channel }) => channel.id),
    visibilityMs: options.visibilityMs,
    partitions: members.partitions,
  });
  await enqueueAll(
    deps,
    jobs.filter(({ id }) => !queues.has(id)),
  );
  return jobs.length + parkedCount >= limit;
}

/** Jobs without room are given back; due rows of a full queue wait behind its parked ones. */
async function enqueueAll({ db, channels, queues }: ClaimDeps, jobs: readonly DeliveryJob[]): Promise<void> {
  for (const channel of await channels.listByIds([...new Set(jobs.map(({ channelId }) => channelId))]))
    queues.of(channel);
  const overfull = new Set<ChannelQueue>();
  const returned: string[] = [];
  for (const job of jobs) {
    const queue = queues.find(job.channelId);
    const hasRoom = queue !== undefined && queues.roomFor(queue) > 0;
    if (queue !== undefined && (job.isTest || (hasRoom && isOpen(queue.channel)))) queues.enqueue(job);
    else {
      returned.push(job.id);
      if (queue !== undefined && !hasRoom) overfull.add(queue);
    }
  }
  await postponeDeliveries(db, returned, 0);
  for (const queue of overfull) {
    await parkDueDeliveries(db, queue.channel.id);
    queue.findBacklog();
  }
}
