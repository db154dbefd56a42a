import type { Channel } from '../channel.ts';
import type { EventRow } from '../queue/select-events.ts';

export type EventToPlan = Pick<EventRow, 'event_id' | 'project_id' | 'type'>;

export interface WantedEvent<E extends EventToPlan> {
  readonly event: E;
  /** All channels that want it, whoever owns them. */
  readonly channels: readonly Channel[];
}

export interface PlannedDelivery {
  readonly id: string;
  readonly event: EventToPlan;
  readonly channel: Channel;
  /**
   * `straight`: sent from memory as soon as the row is stored. `parked`: waits in the database, behind
   * earlier parked rows. `foreign`: the same, for the replica that owns the channel.
   */
  readonly route: 'straight' | 'parked' | 'foreign';
}

export interface DispatchPlan<E extends EventToPlan> {
  readonly deliveries: readonly PlannedDelivery[];
  /** Events that need no further look once the deliveries are stored. */
  readonly completed: readonly WantedEvent<E>[];
}

export interface DispatchInput<E extends EventToPlan> {
  /** In event order. */
  readonly wanted: readonly WantedEvent<E>[];
  /** Whether this replica owns a channel, or a project that has none. */
  readonly owns: (id: string) => boolean;
  /** How many new deliveries may go straight into the queue of an owned channel; asked once for each. */
  readonly roomOf: (channel: Channel) => number;
  /** A sweep also stores what other replicas missed. */
  readonly isSweep: boolean;
  /** Must give growing ids, so that parked rows come back in the order of the plan. */
  readonly newId: () => string;
}

/**
 * Decides which deliveries some events make on this replica, and by which route. Once a channel has parked
 * rows, nothing goes straight to it.
 *
 * An event with channels of other replicas is completed by a sweep, which finds what one of them missed. What
 * is completed is decided together with the deliveries: a channel that comes to this replica while the rows
 * are written has no delivery among them.
 */
export function planDispatch<E extends EventToPlan>(input: DispatchInput<E>): DispatchPlan<E> {
  const { wanted, owns, isSweep, newId } = input;
  const findRoute = planRoutes(input);
  const deliveries = wanted.flatMap(({ event, channels }) =>
    channels
      .filter(({ id }) => isSweep || owns(id))
      .map((channel) => ({ id: newId(), event, channel, route: findRoute(channel) })),
  );
  const completed = wanted.filter(
    ({ event, channels }) =>
      isSweep || (channels.length === 0 ? owns(event.project_id) : channels.every(({ id }) => owns(id))),
  );
  return { deliveries, completed };
}

function planRoutes<E extends EventToPlan>({
  owns,
  roomOf,
}: DispatchInput<E>): (channel: Channel) => PlannedDelivery['route'] {
  const rooms = new Map<string, number>();
  return (channel) => {
    if (!owns(channel.id)) return 'foreign';
    const room = rooms.get(channel.id) ?? roomOf(channel);
    rooms.set(channel.id, room - 1);
    return room > 0 ? 'straight' : 'parked';
  };
}
