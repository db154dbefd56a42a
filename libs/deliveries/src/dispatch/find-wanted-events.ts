import type { EventEnvelope } from '@chainwatch/events';
import type { Channel } from '../channel.ts';
import type { EventRow } from '../queue/select-events.ts';
import type { LeftOut } from '../queue/read-left-out.ts';
import { isUnfiltered, matchesChannel } from './matches-channel.ts';
import type { WantedEvent } from './plan-dispatch.ts';

interface Wanting {
  readonly channels: readonly Channel[];
  /** What filters ask for and events do not carry. */
  readonly leftOut: LeftOut;
  /** Called for filters that could not be read. */
  readonly onFault: (channel: Channel, err: unknown) => void;
}

/** Which channels of their projects want these events. */
export function findWantedEvents(
  events: readonly EventRow[],
  { channels, leftOut, onFault }: Wanting,
): readonly WantedEvent<EventRow>[] {
  const channelsOf = groupByProject(channels);
  return events.map((event) => ({
    event,
    channels: findWanting(event, { leftOut, onFault, channels: channelsOf.get(event.project_id) ?? [] }),
  }));
}

function findWanting(event: EventRow, { channels, leftOut, onFault }: Wanting): readonly Channel[] {
  const candidates = channels.filter(({ eventTypes }) => eventTypes.has(event.type));
  if (event.type !== 'channel.failed' && candidates.every(({ filters }) => isUnfiltered(filters)))
    return candidates;
  const envelope = JSON.parse(event.payload) as EventEnvelope;
  return candidates.filter((channel) => {
    if (envelope.type === 'channel.failed' && envelope.data.channel.id === channel.id) return false;
    try {
      return matchesChannel(channel, envelope, leftOut);
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
