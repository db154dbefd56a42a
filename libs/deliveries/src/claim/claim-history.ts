import { v7 as uuidv7 } from 'uuid';
import { type Channel, isOpen } from '../channel-store.ts';
import { findLeftOut } from '../dispatch/find-left-out.ts';
import { findWantedEvents } from '../dispatch/find-wanted-events.ts';
import { discardHistory, listHistorical, listHistoryChannels } from '../queue/list-historical.ts';
import { insertHistorical } from '../queue/insert-historical.ts';
import type { EventRow } from '../queue/select-events.ts';
import type { ClaimDeps } from './claim-deps.ts';

/** Events of history that a channel has in its queue at most: what is live goes before all others. */
const HISTORY_MAX = 32;

/**
 * Makes deliveries of events of history, and of what was kept while a channel could not be read, for open channels that have nothing else to do. Those of a closed channel wait
 * until it is open again. True: there may be more.
 * @param isLook the database is asked which channels have some; otherwise those that are known to
 */
export async function claimHistory(deps: ClaimDeps, isLook: boolean): Promise<boolean> {
  const { db, channels, queues, members } = deps;
  const known = [...queues].filter(({ needsHistory }) => needsHistory).map(({ channel: { id } }) => id);
  const channelIds = isLook ? await listHistoryChannels(db, members.partitions) : known;
  let isMore = false;
  for (const channel of await channels.listByIds(channelIds)) {
    if (channel.isUnreadable === true) continue;
    const queue = queues.of(channel);
    if (channel.includesHistory !== true) await discardHistory(db, channel.id);
    if (isOpen(channel) && members.owns(channel.id) && !queue.hasBacklog && queue.queued === 0)
      isMore = (await claimOfChannel(deps, channel)) || isMore;
  }
  return isMore;
}

async function claimOfChannel(
  { db, queues, members, options, logger }: ClaimDeps,
  channel: Channel,
): Promise<boolean> {
  const queue = queues.of(channel);
  const limit = Math.min(HISTORY_MAX, queues.roomForNew(queue));
  if (limit <= 0) return false;
  const { events, rowIds } = await listHistorical(db, channel.id, limit);
  queue.hasHistory = rowIds.length === limit;
  const asked = events.filter((event) => channel.includesHistory === true || !event.is_historical);
  const wanted = findWantedEvents(asked, {
    channels: [channel],
    leftOut: await findLeftOut(db, asked, [channel]),
    onFault: ({ id }, err) =>
      logger.error({ err, channel_id: id }, 'the filters of a notification channel could not be read'),
  });
  const mine = wanted
    .filter(({ channels: of }) => of.length > 0)
    .map(({ event }) => ({ id: uuidv7(), event }));
  const inserted = await insertHistorical(db, { channel, rowIds, deliveries: mine }, options.visibilityMs);
  // Of a channel that went meanwhile the next owner claims them when their lease ends.
  if (!members.owns(channel.id)) return false;
  for (const { id, event } of mine) if (inserted.has(id)) queues.enqueue(toJob(id, channel, event));
  return queue.needsHistory;
}

function toJob(id: string, channel: Channel, event: EventRow) {
  return {
    id,
    channelId: channel.id,
    eventId: event.event_id,
    eventType: event.type,
    payload: event.payload,
    traceparent: event.traceparent ?? undefined,
    attemptCount: 0,
    isFirst: true,
    dueAt: new Date(),
    isProbe: false,
    isTest: false,
    isHistorical: true,
  };
}
