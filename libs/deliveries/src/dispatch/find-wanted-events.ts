import type { EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel.ts';
import type { EventRow } from '../queue/select-events.ts';
import { isUnfiltered, matchesChannel } from './matches-channel.ts';
import type { WantedEvent } from './plan-dispatch.ts';

/** Which channels of their projects want these events. @param onFault called for filters that could not be read */
export function findWantedEvents(
  events: readonly EventRow[],
  channels: readonly Channel[],
  onFault: (channel: Channel, err: unknown) => void,
): readonly WantedEvent<EventRow>[] {
  const channelsOf = groupByProject(channels);
  return events.map((event) => ({
    event,
    channels: findWanting(event, channelsOf.get(event.project_id) ?? [], onFault),
  }));
}

function findWanting(
  event: EventRow,
  channels: readonly Channel[],
  onFault: (channel: Channel, err: unknown) => void,
): readonly Channel[] {
  const candidates = channels.filter(({ eventTypes }) => eventTypes.has(event.type));
  if (event.type !== 'channel.failed' && candidates.every(({ filters }) => isUnfiltered(filters)))
    return candidates;
  const envelope = JSON.parse(event.payload) as EventEnvelope;
  return candidates.filter((channel) => {
    if (envelope.type === 'channel.failed' && envelope.data.channel.id === channel.id) return false;
    try {
      return matchesChannel(channel, envelope);
    } catch (err) {
      // A filter that cannot be read must not stop the events of others. Such an event is delivered: better
      // one too many than one missed.
      onFault(channel, err);
      return true;
    }
  });
}

function groupByProject(channels: readonly Channel[]): ReadonlyMap<string, readonly Channel[]> {
  const groups = new Map<string, Channel[]>();
  for (const channel of channels) {
    const group = groups.get(channel.projectId);
    if (group === undefined) groups.set(channel.projectId, [channel]);
    else group.push(channel);
  }
  return groups;
}
