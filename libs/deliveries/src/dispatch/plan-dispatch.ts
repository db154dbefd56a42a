import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import type { ChannelQueues } from '../channel-queue/channel-queues.ts';
import type { Channel } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { EventRow } from '../queue/select-events.ts';
import type { NewDelivery } from '../queue/store-deliveries.ts';

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
  readonly newId: (event: EventToPlan, channel: Channel) => string;
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
      .map((channel) => ({ id: newId(event, channel), event, channel, route: findRoute(channel) })),
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

export type EventBytes = Pick<EventRow, 'payload' | 'traceparent' | 'created_at'>;

/**
 * New deliveries on their way from a plan into the channel queues. Their places are reserved while their rows
 * are written. `settle` must follow, whether the rows were written or not.
 */
export class Handover {
  readonly #queues: ChannelQueues;
  readonly #planned: readonly (PlannedDelivery & { readonly queue: ChannelQueue | undefined })[];

  constructor(queues: ChannelQueues, deliveries: readonly PlannedDelivery[]) {
    this.#queues = queues;
    this.#planned = deliveries.map((delivery) => ({ ...delivery, queue: takePlace(queues, delivery) }));
  }

  /** The rows to be written. */
  get rows(): readonly NewDelivery[] {
    return this.#planned.map(({ id, event, channel, route }) => ({
      id,
      projectId: event.project_id,
      channelId: channel.id,
      eventId: event.event_id,
      eventType: event.type,
      status: route === 'straight' ? 'pending' : 'held',
    }));
  }

  /**
   * @param inserted ids of the rows that were new
   * @param bytes by event, for events that have such rows
   * @returns whether something was parked for channels of this replica
   */
  settle(inserted: ReadonlySet<string>, bytes: ReadonlyMap<string, EventBytes>): boolean {
    let hasParked = false;
    for (const delivery of this.#planned) {
      const { id, queue, route, event } = delivery;
      if (route === 'parked') {
        queue?.parked(id);
        hasParked = true;
      } else if (route === 'straight') {
        queue?.unreserve(id);
        if (inserted.has(id)) this.#queues.enqueue(toJob(delivery, bytes.get(event.event_id)!));
      }
    }
    return hasParked;
  }
}

function takePlace(queues: ChannelQueues, { id, channel, route }: PlannedDelivery): ChannelQueue | undefined {
  if (route === 'foreign') return undefined;
  const queue = queues.of(channel);
  if (route === 'parked') queue.park(id);
  else if (!queue.reserve(id)) throw new Error(`expected room in the queue of channel ${channel.id}`);
  return queue;
}

function toJob({ id, event, channel }: PlannedDelivery, bytes: EventBytes): DeliveryJob {
  const { payload, traceparent, created_at: eventAt } = bytes;
  return {
    id,
    channelId: channel.id,
    eventId: event.event_id,
    eventType: event.type,
    payload,
    traceparent: traceparent ?? undefined,
    attemptCount: 0,
    isFirst: true,
    dueAt: new Date(),
    eventAt,
    isProbe: false,
    isTest: false,
  };
}
