import type { ClaimDeps } from './claim-deps.ts';

const IDLE_MS = 60_000;

/** Gives the queues the present state of their channels, and drops queues that nobody uses. */
export async function refreshQueues({ channels, queues, now }: ClaimDeps): Promise<void> {
  const unused = [...queues].filter((queue) => queue.isUnusedSince(now() - IDLE_MS));
  for (const { channel } of unused) queues.drop(channel.id);
  const busy = [...queues].filter(({ isIdle }) => !isIdle);
  const listed = await channels.listByIds(busy.map(({ channel }) => channel.id));
  for (const channel of listed) queues.of(channel);
  const known = new Set(listed.map(({ id }) => id));
  // The channel was deleted, and its deliveries with it.
  for (const { channel, active } of busy.filter(({ channel: { id } }) => !known.has(id)))
    if (active === 0) queues.drop(channel.id);
}
