import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import type { ChannelQueues } from '../channel-queue/channel-queues.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { NewDelivery } from '../queue/insert-deliveries.ts';
import type { EventRow } from '../queue/select-events.ts';
import type { PlannedDelivery } from './plan-dispatch.ts';

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
