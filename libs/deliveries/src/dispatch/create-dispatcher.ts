import type { Sql } from '@chainwatch/db';
import type { EventEnvelope } from '@chainwatch/events';
import { isOpen, type Channel } from '../channel-config.ts';
import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import { createBatcher } from '../create-batcher.ts';
import { createGate, type Passage } from './create-gate.ts';
import type { DeliveryEngine } from '../create-delivery-engine.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryLogger } from '../delivery-options.ts';
import { createEventQueue, type Completed, type EventRow } from '../queue/event-queue.ts';
import type { KnownProject, KnownRow, NewDelivery } from '../queue/delivery-store.ts';
import { createUuidSequence } from '../create-uuid-sequence.ts';
import { isUnfiltered, matchesChannel } from './matches-channel.ts';

export interface EventRef {
  readonly eventId: string;
  readonly projectId: string;
  /** What it probably is, going by its subject. */
  readonly type?: string;
}

export interface Dispatcher {
  /**
   * Resolves when the event's deliveries to channels of this replica are stored; their first attempts are under way then.
   * Idempotent.
   */
  dispatch(event: EventRef): Promise<void>;
  /** Events waiting or under way. */
  readonly size: number;
  /** Dispatches, in order, what nobody has completed yet: before anything new, when this replica begins or gets channels. */
  catchUp(): Promise<void>;
  /**
   * Completes events of this replica's projects that nobody completed within `olderThanMs`, at most `limit`, and tells how
   * many: what their replicas missed is stored for every channel.
   */
  sweep(olderThanMs: number, limit: number): Promise<number>;
  /** What lies in these gaps and was not dispatched yet, in order. */
  findMissing(gaps: readonly EventGap[]): Promise<EventRef[]>;
  drain(): Promise<void>;
}

/** Sequences of a project's events on a chain, both ends not included. */
export interface EventGap {
  readonly projectId: string;
  readonly chainGid: string;
  readonly after: number;
  readonly before: number;
}

interface Planned {
  readonly delivery: NewDelivery;
  readonly job: DeliveryJob;
  /** Undefined: another replica's channel. It finds the row among what it holds. */
  readonly queue: ChannelQueue | undefined;
}

/** An event of which all but its row and its bytes is known. */
interface Expected {
  readonly ref: Required<EventRef>;
  readonly project: KnownProject;
  /** All that want it. */
  readonly channels: readonly Channel[];
}

const BATCH_MAX = 200;
/** What a block brings at once; a crowd goes the ordinary way. */
const KNOWN_MAX = 32;
/** Row by row (OFFSET 0), in the order of the queue: the planner cannot know how short it is. */
const EVENT_OF_ROW = `CROSS JOIN LATERAL (SELECT id, event_id, project_id, chain_gid, sequence, created_at FROM events WHERE id = u.event_row_id AND NOT is_held OFFSET 0) e`;
/** Nobody waits for a mark: those of some events cost little more than that of one. */
const MARK_MS = 50;
/** Under way at once: an event does not wait until the ones before it are stored. */
const BATCHES = 3;

/**
 * Turns events into deliveries: which channels want them, one row each, first attempts straight from memory. What bus
 * messages say is only which event it is; the bytes come from the events table.
 */
export function createDispatcher({
  db,
  planned,
  engine,
  logger,
}: {
  db: Sql;
  planned: Sql;
  engine: DeliveryEngine;
  logger: DeliveryLogger;
}): Dispatcher {
  const nextId = createUuidSequence();
  const { members } = engine;
  const batcher = createBatcher<EventRef>((refs) => dispatchBatch(refs, false), BATCH_MAX, {
    concurrency: BATCHES,
  });
  const planning = createGate();
  const handing = createGate();
  const events = createEventQueue(planned);
  // A mark that is lost costs one idempotent dispatch by the sweep; it waits neither for the first attempt nor makes it
  // wait, nor does it lock the rows that the publisher marks at the same moment together with the deliveries.
  const marker = createBatcher<Completed>((completed) => events.markDispatched(completed), 1_000, {
    gatherMs: MARK_MS,
  });
  /** What the sweep must leave alone: it is on its way. */
  const waiting = new Set<string>();

  /** Batches overlap while they wait for the database, and keep their order where it counts: when deliveries get their ids and when these are handed on. */
  async function dispatchBatch(all: readonly EventRef[], isSweep: boolean): Promise<void> {
    const [plans, hands] = [planning.enter(), handing.enter()];
    try {
      const refs = all.length <= KNOWN_MAX && !isSweep ? await dispatchKnown(all, plans, hands) : all;
      if (refs.length === 0) return;
      const projectIds = [...new Set(refs.map(({ projectId }) => projectId))];
      const found = await Promise.all([
        events.select(refs.map(({ eventId }) => eventId)),
        engine.channels.listByProjects(projectIds),
      ]);
      await plans.turn;
      const { planned, completed } = plan(...found, isSweep);
      plans.leave();
      await insert(planned, hands.turn);
      completed.forEach(complete);
    } finally {
      plans.leave();
      hands.leave();
    }
  }

  /** Events of which all but their rows is known: one statement, which leaves out those of which that is not so any more. Returns what is left to do. */
  async function dispatchKnown(
    refs: readonly EventRef[],
    plans: Passage,
    hands: Passage,
  ): Promise<readonly EventRef[]> {
    if (expectAll(refs) === undefined) return refs;
    await plans.turn;
    const expected = expectAll(refs);
    if (expected === undefined) return refs;
    const prepared = expected.flatMap(({ ref: { eventId, projectId, type }, channels }) =>
      channels.map((channel) =>
        planDelivery(
          { id: 0, event_id: eventId, project_id: projectId, type, payload: '', traceparent: null },
          channel,
        ),
      ),
    );
    plans.leave();
    const projects = new Map(expected.map(({ project }) => [project.projectId, project]));
    let rows: ReadonlyMap<string, KnownRow> = new Map();
    try {
      const found = await engine.deliveries.insertKnown(
        prepared.map(({ delivery }) => delivery),
        expected.map(({ ref }) => ref),
        [...projects.values()],
      );
      rows = new Map(found.map((row) => [row.event_id, row]));
    } finally {
      await hands.turn;
      const inserted = new Set([...rows.values()].flatMap((row) => row.inserted));
      settle(
        prepared.map((one) => ({ ...one, job: withRow(one.job, rows.get(one.job.eventId)) })),
        inserted,
      );
    }
    for (const { ref, channels } of expected) {
      const row = rows.get(ref.eventId);
      if (row !== undefined) complete({ event: row, channels });
    }
    return refs.filter(({ eventId }) => !rows.has(eventId));
  }

  /** All or none: those that are left would be handed on behind the others. */
  function expectAll(refs: readonly EventRef[]): readonly Expected[] | undefined {
    const expected = [...new Map(refs.map((ref) => [ref.eventId, ref])).values()].map(expect);
    return expected.every((one) => one !== undefined) ? expected : undefined;
  }

  function expect(ref: EventRef): Expected | undefined {
    const { eventId, projectId, type } = ref;
    const known = engine.channels.findKnown(projectId);
    if (type === undefined || known === undefined) return undefined;
    const channels = known.channels.filter(({ eventTypes }) => eventTypes.has(type));
    if (channels.length === 0 ? !members.owns(projectId) : !channels.every(isReady)) return undefined;
    return { ref: { eventId, projectId, type }, project: { projectId, versions: known.versions }, channels };
  }

  /** It takes an event whatever is in it, and nothing has happened to it since it was read. */
  function isReady(channel: Channel): boolean {
    const queue = engine.queues.get(channel.id);
    return (
      queue?.channel === channel &&
      isOpen(channel) &&
      !queue.hasBacklog &&
      engine.roomFor(queue) > 0 &&
      members.owns(channel.id) &&
      isUnfiltered(channel.filters)
    );
  }

  function complete(one: Completed): void {
    void marker
      .add(one)
      .catch((error: unknown) =>
        logger.warn({ error: String(error) }, 'events could not be marked as dispatched'),
      );
  }

  function plan(
    events: readonly EventRow[],
    channels: readonly Channel[],
    isSweep: boolean,
  ): { planned: readonly Planned[]; completed: readonly Completed[] } {
    const channelsOf = groupByProject(channels);
    const wanted = events.map((event) => ({
      event,
      channels: findChannels(event, channelsOf.get(event.project_id) ?? []),
    }));
    const planned = wanted.flatMap(({ event, channels: wanting }) =>
      wanting.filter(({ id }) => isSweep || members.owns(id)).map((channel) => planDelivery(event, channel)),
    );
    // Events that other replicas take part in are completed by a sweep, which finds what one of them missed. Decided
    // together with the plan: a channel that comes to this replica while the rows are written has none among them.
    const completed = wanted.filter(
      ({ event, channels: wanting }) =>
        isSweep ||
        (wanting.length === 0 ? members.owns(event.project_id) : wanting.every(({ id }) => members.owns(id))),
    );
    return { planned, completed };
  }

  async function insert(planned: readonly Planned[], turn: Promise<void>): Promise<void> {
    let inserted: ReadonlySet<string> = new Set();
    try {
      inserted = await engine.deliveries.insert(planned.map(({ delivery }) => delivery));
    } finally {
      await turn;
      settle(planned, inserted);
    }
  }

  function findChannels(event: EventRow, channels: readonly Channel[]): readonly Channel[] {
    const candidates = channels.filter(({ eventTypes }) => eventTypes.has(event.type));
    if (event.type !== 'channel.failed' && candidates.every(({ filters }) => isUnfiltered(filters)))
      return candidates;
    const envelope = JSON.parse(event.payload) as EventEnvelope;
    return candidates.filter((channel) => isWanted(channel, envelope));
  }

  // A filter that cannot be read must not stop the events of others; better told once too often.
  function isWanted(channel: Channel, envelope: EventEnvelope): boolean {
    if (envelope.type === 'channel.failed' && envelope.data.channel.id === channel.id) return false;
    try {
      return matchesChannel(channel, envelope);
    } catch (error) {
      logger.error(
        { channel_id: channel.id, error: String(error) },
        'the filters of a notification channel could not be read',
      );
      return true;
    }
  }

  function planDelivery(event: EventRow, channel: Channel): Planned {
    const queue = members.owns(channel.id) ? engine.queueOf(channel) : undefined;
    const status = queue !== undefined && engine.roomFor(queue) > 0 && queue.reserve() ? 'pending' : 'held';
    if (queue !== undefined && status === 'held') {
      queue.parkedCount += 1;
      queue.parkingUnderWay += 1;
      queue.hasBacklog = isOpen(queue.channel);
    }
    const id = nextId();
    const common = { id, channelId: channel.id, eventId: event.event_id, eventType: event.type };
    return {
      queue,
      delivery: { ...common, projectId: event.project_id, status },
      job: {
        ...common,
        payload: event.payload,
        traceparent: event.traceparent ?? undefined,
        attemptCount: 0,
        isFirst: true,
        dueAt: new Date(),
        isProbe: false,
        isTest: false,
      },
    };
  }

  function settle(planned: readonly Planned[], inserted: ReadonlySet<string>): void {
    let isWaiting = false;
    for (const { delivery, job, queue } of planned) {
      if (queue === undefined) continue;
      if (delivery.status === 'held') {
        queue.parkingUnderWay -= 1;
        isWaiting = true;
        continue;
      }
      queue.unreserve();
      if (inserted.has(delivery.id)) engine.enqueue(job);
    }
    if (isWaiting) engine.wake();
  }

  return {
    dispatch(event) {
      waiting.add(event.eventId);
      return batcher.add(event).finally(() => waiting.delete(event.eventId));
    },
    get size() {
      return batcher.size;
    },
    async catchUp() {
      for (let after = 0, found = BATCH_MAX; found === BATCH_MAX; ) {
        const { rows } = await db.query<{ id: number; event_id: string; project_id: string }>(
          `SELECT e.* FROM undispatched_events u ${EVENT_OF_ROW} WHERE u.event_row_id > $1 ORDER BY u.event_row_id LIMIT $2`,
          [after, BATCH_MAX],
        );
        const refs = rows.map((row) => ({ eventId: row.event_id, projectId: row.project_id }));
        if (refs.length > 0) await dispatchBatch(refs, false);
        found = rows.length;
        after = rows.at(-1)?.id ?? after;
      }
    },
    async sweep(olderThanMs, limit) {
      // A time ahead of the database's is of a clock that runs ahead: such an event does not wait for it.
      const { rows } = await db.query<{ event_id: string; project_id: string }>(
        `SELECT e.* FROM undispatched_events u ${EVENT_OF_ROW}
         WHERE e.created_at NOT BETWEEN now() - $1 * interval '1 ms' AND now() AND ($3::text[] IS NULL OR left(e.project_id::text, 2) = ANY($3)) ORDER BY u.event_row_id LIMIT $2`,
        [olderThanMs, limit, members.partitions ?? null],
      );
      const missed = rows.filter((row) => !waiting.has(row.event_id));
      for (let start = 0; start < missed.length; start += BATCH_MAX) {
        await dispatchBatch(
          missed
            .slice(start, start + BATCH_MAX)
            .map((row) => ({ eventId: row.event_id, projectId: row.project_id })),
          true,
        );
      }
      // The next sweep must not find the same rows again.
      await marker.drain();
      return missed.length;
    },
    async findMissing(gaps) {
      const { rows } = await db.query<EventRef>(
        `SELECT e.event_id AS "eventId", e.project_id AS "projectId" FROM undispatched_events u ${EVENT_OF_ROW}
         JOIN unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS g (project_id, chain_gid, after, before)
         ON e.project_id = g.project_id AND e.chain_gid = g.chain_gid AND e.sequence > g.after AND e.sequence < g.before
         ORDER BY u.event_row_id`,
        [
          gaps.map(({ projectId }) => projectId),
          gaps.map(({ chainGid }) => chainGid),
          gaps.map(({ after }) => after),
          gaps.map(({ before }) => before),
        ],
      );
      return rows;
    },
    async drain() {
      await batcher.drain();
      await marker.drain();
    },
  };
}

function withRow(job: DeliveryJob, row: KnownRow | undefined): DeliveryJob {
  return row === undefined
    ? job
    : { ...job, payload: row.payload, traceparent: row.traceparent ?? undefined };
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
