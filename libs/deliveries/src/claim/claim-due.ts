import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import { isOpen } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import { claimDueDeliveries } from '../queue/claim-due-deliveries.ts';
import { parkDueDeliveries } from '../queue/park-due-deliveries.ts';
import { postponeDeliveries } from '../queue/postpone-deliveries.ts';
import { CLAIM_MAX, type ClaimDeps, type ClaimLoopDeps } from './claim-deps.ts';

/** Claims due rows: retries, tests, and those of a dead owner. True: there may be more. */
export async function claimDue(deps: ClaimLoopDeps): Promise<boolean> {
  const { db, queues, members, options, leftovers } = deps;
  const limit = Math.min(CLAIM_MAX, queues.room);
  if (limit <= 0) return false;
  const full = [...queues].filter(({ room }) => room <= 0);
  const { jobs, parkedCount } = await claimDueDeliveries(db, {
    limit,
    excludedChannelIds: full.map(({ channel }) => channel.id),
    visibilityMs: options.visibilityMs,
    partitions: members.partitions,
  });
  // One became due after the last look at them: it goes into the backlog.
  const left = jobs.filter(({ id }) => leftovers.has(id)).map(({ id }) => id);
  await postponeDeliveries(db, left, 0);
  // A job in memory, or one that is being stored for longer than its lease, has a new lease by this.
  await enqueueAll(
    deps,
    jobs.filter((job) => !leftovers.has(job.id) && !queues.has(job.id) && !queues.isArriving(job)),
  );
  return jobs.length + parkedCount >= limit;
}

/** Jobs without room, or of channels that went meanwhile, are given back; due rows of a full queue wait behind its parked ones. */
async function enqueueAll(
  { db, channels, queues, members }: ClaimDeps,
  jobs: readonly DeliveryJob[],
): Promise<void> {
  for (const channel of await channels.listByIds([...new Set(jobs.map(({ channelId }) => channelId))]))
    queues.of(channel);
  const overfull = new Set<ChannelQueue>();
  const returned: string[] = [];
  for (const job of jobs) {
    const queue = members.owns(job.channelId) ? queues.find(job.channelId) : undefined;
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
