import type { Channel } from '../channel.ts';
import type { EventRow } from '../queue/select-events.ts';

export type EventToPlan = Pick<EventRow, 'event_id' | 'project_id' | 'type'>;

export interface WantedEvent<E extends EventToPlan> {
  readonly event: E;
  /** All that want it, whoever owns them. */
  readonly channels: readonly Channel[];
}

export interface PlannedDelivery {
  readonly id: string;
  readonly event: EventToPlan;
  readonly channel: Channel;
  /**
   * `straight`: from memory, as soon as the row is stored. `parked`: in the database, behind what is parked there already.
   * `foreign`: the same, for the replica that owns the channel.
   */
  readonly route: 'straight' | 'parked' | 'foreign';
}

export interface DispatchPlan<E extends EventToPlan> {
  readonly deliveries: readonly PlannedDelivery[];
  /** Once the deliveries are stored nobody has to look at these again. */
  readonly completed: readonly WantedEvent<E>[];
}

export interface DispatchInput<E extends EventToPlan> {
  /** In event order. */
  readonly wanted: readonly WantedEvent<E>[];
  /** Whether this replica owns a channel, or a project that has none. */
  readonly owns: (id: string) => boolean;
  /** How many new deliveries may go straight into the queue of an owned channel; asked once for each. */
  readonly roomOf: (channel: Channel) => number;
  /** A sweep stores what other replicas missed, too. */
  readonly isSweep: boolean;
  /** Ids that grow: what is parked comes back in the order of the plan. */
  readonly newId: () => string;
}

/**
 * Which deliveries some events make here, and on what route. Of a channel, nothing goes straight behind what is parked.
 *
 * An event that other replicas take part in is completed by a sweep, which finds what one of them missed. Decided together
 * with the deliveries: a channel that comes to this replica while the rows are written has none among them.
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
