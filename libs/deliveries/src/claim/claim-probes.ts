import { claimFailingChannels } from '../queue/claim-failing-channels.ts';
import { claimParkedDeliveries } from '../queue/claim-parked-deliveries.ts';
import type { ClaimDeps } from './claim-deps.ts';

/** Takes one delivery of each failing channel whose probe is due. */
export async function claimProbes(deps: ClaimDeps): Promise<void> {
  const { db, channels, queues, members, options } = deps;
  const channelIds = await claimFailingChannels(db, options.probeIntervalMs, members.partitions);
  for (const channel of await channels.listByIds(channelIds)) {
    if (queues.of(channel).active > 0 || channel.fault !== undefined) continue;
    const jobs = await claimParkedDeliveries(db, {
      channelId: channel.id,
      limit: 1,
      isProbe: true,
      visibilityMs: options.visibilityMs,
    });
    for (const job of jobs) queues.enqueue(job);
  }
}
