import type { Sql } from '@chainwatch/db';
import type { EventEnvelope } from '@chainwatch/events';
import { isOpen, type Channel } from './channel-config.ts';
import type { ChannelLane } from './channel-lane.ts';
import { createBatcher } from './create-batcher.ts';
import type { DeliveryEngine } from './create-delivery-engine.ts';
import type { DeliveryJob } from './delivery-job.ts';
import type { DeliveryLogger } from './delivery-options.ts';
import type { NewDelivery } from './delivery-store.ts';
import { createUuidSequence } from './create-uuid-sequence.ts';
import { matchesChannel } from './matches-channel.ts';

export interface EventRef {
  readonly eventId: string;
  readonly projectId: string;
}

export interface Dispatcher {
  /** Resolves when the event's deliveries are stored; their first attempts are under way then. Idempotent. */
  dispatch(event: EventRef): Promise<void>;
  /** Dispatches events that nobody did within `olderThanMs`, at most `limit`; tells how many. */
  sweep(olderThanMs: number, limit: number): Promise<number>;
  drain(): Promise<void>;
}

interface EventRow {
  readonly id: number;
  readonly event_id: string;
  readonly project_id: string;
  readonly type: string;
  readonly payload: string;
  readonly traceparent: string | null;
}

interface Planned {
  readonly delivery: NewDelivery;
  readonly job: DeliveryJob;
  readonly lane: ChannelLane;
}

const BATCH_MAX = 200;

/**
 * Turns events into deliveries: which channels want them, one row each, first attempts straight from memory. What bus
 * messages say is only which event it is; the bytes come from the events table.
 */
export function createDispatcher({ db, engine, logger }: { db: Sql; engine: DeliveryEngine; logger: DeliveryLogger }): Dispatcher {
  const nextId = createUuidSequence();
  const batcher = createBatcher<EventRef>(dispatchBatch, BATCH_MAX);
  // A mark that is lost costs one idempotent dispatch by the sweep; it waits neither for the first attempt nor makes it
  // wait, nor does it lock the rows that the publisher marks at the same moment together with the deliveries.
  const marker = createBatcher<number>(markDispatched, 1_000);

  async function dispatchBatch(refs: readonly EventRef[]): Promise<void> {
    const projectIds = [...new Set(refs.map(({ projectId }) => projectId))];
    const [events, channels] = await Promise.all([selectEvents(refs), engine.channels.listByProjects(projectIds)]);
    const planned = events.flatMap((event) => planEvent(event, channels));
    try {
      const inserted = await engine.deliveries.insert(planned.map(({ delivery }) => delivery));
      settle(planned, inserted);
    } catch (error) {
      settle(planned, new Set());
      throw error;
    }
    for (const { id } of events) void marker.add(id).catch((error: unknown) => logger.warn({ error: String(error) }, 'events could not be marked as dispatched'));
  }

  async function selectEvents(refs: readonly EventRef[]): Promise<EventRow[]> {
    const { rows } = await db.query<EventRow>({
      name: 'select_events',
      text: `SELECT id, event_id, project_id, type, payload, traceparent FROM events
             WHERE event_id = ANY($1::uuid[]) AND dispatched_at IS NULL AND NOT is_held ORDER BY id`,
      values: [refs.map(({ eventId }) => eventId)],
    });
    return rows;
  }

  function planEvent(event: EventRow, channels: readonly Channel[]): Planned[] {
    const candidates = channels.filter(({ projectId, eventTypes }) => projectId === event.project_id && eventTypes.has(event.type));
    if (candidates.length === 0) return [];
    const envelope = JSON.parse(event.payload) as EventEnvelope;
    return candidates.filter((channel) => isWanted(channel, envelope)).map((channel) => planDelivery(event, channel));
  }

  // A filter that cannot be read must not stop the events of others; better told once too often.
  function isWanted(channel: Channel, envelope: EventEnvelope): boolean {
    try {
      return matchesChannel(channel, envelope);
    } catch (error) {
      logger.error({ channel_id: channel.id, error: String(error) }, 'the filters of a notification channel could not be read');
      return true;
    }
  }

  function planDelivery(event: EventRow, channel: Channel): Planned {
    const lane = engine.laneOf(channel);
    const status = engine.roomFor(lane) > 0 && lane.reserve() ? 'pending' : 'held';
    if (status === 'held') {
      lane.heldCount += 1;
      lane.heldUnderWay += 1;
      lane.hasBacklog = isOpen(lane.channel);
    }
    const id = nextId();
    const common = { id, channelId: channel.id, eventId: event.event_id, eventType: event.type };
    return {
      lane,
      delivery: { ...common, projectId: event.project_id, status },
      job: { ...common, payload: event.payload, traceparent: event.traceparent ?? undefined, attemptCount: 0, dueAt: new Date(), isProbe: false },
    };
  }

  function settle(planned: readonly Planned[], inserted: ReadonlySet<string>): void {
    let isWaiting = false;
    for (const { delivery, job, lane } of planned) {
      if (delivery.status === 'held') {
        lane.heldUnderWay -= 1;
        isWaiting = true;
        continue;
      }
      lane.unreserve();
      if (inserted.has(delivery.id)) engine.enqueue(job);
    }
    if (isWaiting) engine.wake();
  }

  async function markDispatched(ids: readonly number[]): Promise<void> {
    await db.query({ name: 'mark_dispatched', text: 'UPDATE events SET dispatched_at = now() WHERE id = ANY($1::bigint[]) AND dispatched_at IS NULL', values: [ids] });
  }

  return {
    dispatch: (event) => batcher.add(event),
    async sweep(olderThanMs, limit) {
      const { rows } = await db.query<{ event_id: string; project_id: string }>(
        `SELECT event_id, project_id FROM events
         WHERE dispatched_at IS NULL AND NOT is_held AND created_at < now() - $1 * interval '1 ms' ORDER BY id LIMIT $2`,
        [olderThanMs, limit],
      );
      await Promise.all(rows.map((row) => batcher.add({ eventId: row.event_id, projectId: row.project_id })));
      // The next sweep must not find the same rows again.
      await marker.drain();
      return rows.length;
    },
    async drain() {
      await batcher.drain();
      await marker.drain();
    },
  };
}
