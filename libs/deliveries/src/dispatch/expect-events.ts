import type { Channel } from '../channel.ts';
import type { KnownChannels } from '../channel-store.ts';
import type { KnownProject } from '../queue/insert-known-deliveries.ts';
import type { EventRef } from './event-ref.ts';
import type { EventToPlan, WantedEvent } from './plan-dispatch.ts';

/** An event whose type and channels are known before its row and bytes are read. */
export interface ExpectedEvent extends WantedEvent<EventToPlan> {
  readonly project: KnownProject;
}

export interface Knowledge {
  readonly findKnown: (projectId: string) => KnownChannels | undefined;
  /**
   * Whether the channel takes events straight whatever they contain, and has not changed since it was read.
   */
  readonly isReady: (channel: Channel) => boolean;
  readonly owns: (id: string) => boolean;
}

/** Expects all events or none: those left over would be handed on behind the others. */
export function expectEvents(
  refs: readonly EventRef[],
  knowledge: Knowledge,
): readonly ExpectedEvent[] | undefined {
  const unique = new Map(refs.map((ref) => [ref.eventId, ref]));
  const expected = [...unique.values()].map((ref) => expectEvent(ref, knowledge));
  return expected.every((one) => one !== undefined) ? expected : undefined;
}

function expectEvent(
  { eventId, projectId, type }: EventRef,
  { findKnown, isReady, owns }: Knowledge,
): ExpectedEvent | undefined {
  const known = findKnown(projectId);
  if (type === undefined || known === undefined) return undefined;
  const channels = known.channels.filter(({ eventTypes }) => eventTypes.has(type));
  if (channels.length === 0 ? !owns(projectId) : !channels.every(isReady)) return undefined;
  const event = { event_id: eventId, project_id: projectId, type };
  return { event, channels, project: { projectId, versions: known.versions } };
}
