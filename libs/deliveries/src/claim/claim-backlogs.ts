import { isOpen } from '../channel-store.ts';
import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import { claimParkedDeliveries } from '../queue/claim-parked-deliveries.ts';
import { listBacklogs } from '../queue/list-backlogs.ts';
import { postponeDeliveries } from '../queue/postpone-deliveries.ts';
import { CLAIM_MAX, type ClaimDeps } from './claim-deps.ts';

/** Finds the channels with parked rows, before anything new goes to them. */
export async function findBacklogs({ db, channels, queues, members }: ClaimDeps): Promise<void> {
  const channelIds = await listBacklogs(db, members.partitions);
  for (const channel of await channels.listByIds(channelIds)) queues.of(channel).findBacklog();
}

/** Refills the queues of open channels from their parked rows. True: there may be more. */
export async function claimBacklogs(deps: ClaimDeps): Promise<boolean> {
  const { queues, members, options } = deps;
  let isMore = false;
  for (const queue of queues) {
    if (!queue.hasBacklog) continue;
    if (!isOpen(queue.channel) || !members.owns(queue.channel.id)) queue.leaveBacklog();
    else if (queue.queued < options.queuePerChannel / 2 && (await claimBacklog(deps, queue))) isMore = true;
  }
  return isMore;
}

async function claimBacklog(
  { db, queues, members, options }: ClaimDeps,
  queue: ChannelQueue,
): Promise<boolean> {
  const limit = Math.min(CLAIM_MAX, queues.roomForBacklog(queue));
  if (limit <= 0) return false;
  const look = queue.beginLook();
  const jobs = await claimParkedDeliveries(db, {
    channelId: queue.channel.id,
    limit,
    beforeId: look.beforeId,
    isProbe: false,
    visibilityMs: options.visibilityMs,
  });
  // It went meanwhile, and nobody here would send them.
  if (!members.owns(queue.channel.id)) {
    await postponeDeliveries(
      db,
      jobs.map(({ id }) => id),
      0,
    );
    return false;
  }
  for (const job of jobs) queues.enqueue(job);
  if (jobs.length < limit) queue.endLook(look);
  return queue.hasBacklog && jobs.length > 0;
}
