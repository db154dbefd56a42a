import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import type { Signal } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { findPoison, isItemFault } from '@chainwatch/quarantine';
import type { ChannelQueues } from '../channel-queue/channel-queues.ts';
import type { Channel, ChannelStore } from '../channel-store.ts';
import type { ChannelShares } from '../channel-shares.ts';
import { createBatcher } from '../create-batcher.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import {
  type Completed,
  insertDeliveries,
  insertKnownDeliveries,
  listStored,
  type KnownRow,
  markDispatched,
} from '../queue/store-deliveries.ts';
import { endUnreadable, keepForUnreadable } from '../queue/keep-for-unreadable.ts';
import { listEventsInGaps, type EventGap } from '../queue/list-events-in-gaps.ts';
import { listOverdueEvents } from '../queue/list-overdue-events.ts';
import { listUndispatched } from '../queue/list-undispatched.ts';
import { selectEvents } from '../queue/select-events.ts';
import { endDispatched, retryEvents, retryPutOff, setAsideEvents } from '../queue/set-aside-events.ts';
import { type BatchTurn, BatchTurns } from './batch-turns.ts';
import type { EventRef } from './event-ref.ts';
import { type ExpectedEvent, expectEvents, findWantedEvents, isUnfiltered } from './find-wanted-events.ts';
import { findLeftOut } from './find-left-out.ts';
import { findMissed } from './find-missed.ts';
import {
  type DispatchPlan,
  type EventBytes,
  type EventToPlan,
  Handover,
  planDispatch,
  type WantedEvent,
} from './plan-dispatch.ts';
import { untilDone } from './until-done.ts';

export interface DispatcherDeps {
  readonly db: Sql;
  readonly planned: Sql;
  readonly channels: ChannelStore;
  readonly queues: ChannelQueues;
  readonly members: Pick<ChannelShares, 'owns' | 'partitions'>;
  /** Notified when something was parked. */
  readonly wake: Signal;
  readonly options: Pick<DeliveryOptions, 'visibilityMs'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly health?: WorkerHealth | undefined;
}

const BATCH_MAX = 200;
/** At most as many events as a block brings at once; larger batches go the ordinary way. */
const KNOWN_MAX = 32;
/** Nobody waits for a mark, and marking several events costs little more than marking one. */
const MARK_MS = 50;
const MARKS_MAX = 1_000;
/** Row ids of a partition of events (ADR 19): what comes from the bus is hardly ever older than a day. */
const ROWS_OF_DAY = 2 ** 32;
/** Concurrent batches: an event does not wait until those before it are stored. */
const BATCHES = 3;

/**
 * Turns events into deliveries: which channels want them, one row each, first attempts straight from memory.
 * A bus message only says which event it is; the bytes come from the events table.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #turns = new BatchTurns();
  readonly #batcher = createBatcher<EventRef>((refs) => this.#dispatchBatch(refs, false), BATCH_MAX, {
    concurrency: BATCHES,
  });
  // A lost mark costs one idempotent dispatch by the sweep. Marks are written apart, so that marks and first
  // attempts do not wait for each other, and so that no transaction with deliveries locks rows which the
  // publisher marks at the same moment.
  readonly #marker = createBatcher<Completed>(
    (completed) => markDispatched(this.#deps.planned, completed),
    MARKS_MAX,
    { gatherMs: MARK_MS },
  );
  /** The highest row id of an event that was seen. */
  #lastRow = 0;
  /** Events under way, which the sweep must leave alone. */
  readonly #waiting = new Set<string>();
  readonly #closing = new AbortController();
  /** What fails alone and has no chain that an incident could stand at: it is tried again at the next start. */
  readonly #aside = new Set<string>();
  #isStarted = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Resolves when the event's deliveries to channels of this replica are stored; their first attempts are under way then. Idempotent. */
  dispatch(event: EventRef): Promise<void> {
    this.#waiting.add(event.eventId);
    return this.#batcher.add(event).finally(() => this.#waiting.delete(event.eventId));
  }

  /** Events waiting or under way. */
  get size(): number {
    return this.#batcher.size;
  }

  /** Dispatches, in order, what nobody has completed yet: before anything new, when this replica begins or gets channels. */
  async catchUp(): Promise<void> {
    if (!this.#isStarted) await retryEvents(this.#deps.db);
    this.#isStarted = true;
    for (let after = 0, found = BATCH_MAX; found === BATCH_MAX; ) {
      const refs = await listUndispatched(this.#deps.db, after, BATCH_MAX);
      if (refs.length > 0) await this.#dispatchApart(refs, false);
      found = refs.length;
      after = refs.at(-1)?.id ?? after;
    }
  }

  /**
   * Completes at most `limit` events of this replica's projects that nobody completed within `olderThanMs`:
   * stores what other replicas missed, for every channel. Returns how many events.
   */
  async sweep(olderThanMs: number, limit: number): Promise<number> {
    const { db, members } = this.#deps;
    await endDispatched(db);
    await retryPutOff(db);
    await endUnreadable(db);
    const listed = await listOverdueEvents(db, { olderThanMs, limit, partitions: members.partitions });
    const missed = findMissed(listed, this.#waiting);
    for (let start = 0; start < missed.length; start += BATCH_MAX)
      await this.#dispatchApart(missed.slice(start, start + BATCH_MAX), true);
    // The next sweep must not find the same rows again.
    await this.#marker.drain();
    return missed.length;
  }

  /** Events in these gaps that were not dispatched yet, in order. */
  findMissing(gaps: readonly EventGap[]): Promise<readonly EventRef[]> {
    return listEventsInGaps(this.#deps.db, gaps);
  }

  /** What cannot be stored is not tried again from now on. */
  close(): void {
    this.#closing.abort();
  }

  async drain(): Promise<void> {
    await this.#batcher.drain();
    await this.#marker.drain();
  }

  /** Does `work` between two batches: what is on its way goes first, and what comes is planned afterwards. */
  between(work: () => Promise<void>): Promise<void> {
    return this.#turns.between(work);
  }

  /**
   * What the table holds. Where a batch fails, maybe because of a single event, halves are tried, and what fails alone is set
   * aside: others do not wait for it.
   */
  async #dispatchApart(refs: readonly EventRef[], isSweep: boolean): Promise<void> {
    const { db, logger } = this.#deps;
    const { signal } = this.#closing;
    const isFault = (error: unknown): boolean => !signal.aborted && isItemFault(error);
    const poison = await findPoison(
      refs.filter(({ eventId }) => !this.#aside.has(eventId)),
      async (some) => {
        if (some.length > 0) await this.#dispatchBatch(some, isSweep);
      },
      isFault,
    );
    if (poison.length === 0) return;
    for (const { item } of await setAsideEvents(db, 'dispatch', poison)) this.#aside.add(item.eventId);
    for (const { item, error } of poison)
      logger.error(
        { err: error, event_id: item.eventId },
        'an event that could not be dispatched was set aside',
      );
  }

  /** Batches overlap while they wait for the database, but keep their order where ids are given and jobs are handed on. */
  async #dispatchBatch(refs: readonly EventRef[], isSweep: boolean): Promise<void> {
    const turn = this.#turns.take();
    try {
      const isSmall = refs.length <= KNOWN_MAX && !isSweep;
      const left = isSmall ? await this.#dispatchKnown(refs, turn) : refs;
      if (left.length > 0) await this.#dispatchRead(left, isSweep, turn);
    } finally {
      turn.planning.release();
      turn.handing.release();
    }
  }

  /** Reads events and channels, plans, stores the plan. */
  async #dispatchRead(refs: readonly EventRef[], isSweep: boolean, turn: BatchTurn): Promise<void> {
    const { events, channels, leftOut } = await this.#store(() => this.#read(refs));
    await turn.planning.turn;
    const wanted = findWantedEvents(events, {
      channels,
      leftOut,
      onFault: ({ id }, err) =>
        this.#deps.logger.error(
          { err, channel_id: id },
          'the filters of a notification channel could not be read',
        ),
    });
    const { plan, handover } = this.#plan(wanted, isSweep, turn.idOf);
    turn.planning.release();
    const bytes = new Map(events.map((event) => [event.event_id, event]));
    let inserted: ReadonlySet<string> = new Set();
    try {
      inserted = await this.#store((isRetry) => this.#insert(handover, isRetry));
    } finally {
      await turn.handing.turn;
      this.#settle(handover, inserted, bytes);
    }
    for (const one of plan.completed) this.#complete(one, one.event.id);
  }

  #store<T>(run: (isRetry: boolean) => Promise<T>): Promise<T> {
    return untilDone(run, { ...this.#deps, signal: this.#closing.signal });
  }

  async #read(refs: readonly EventRef[]) {
    const { planned, channels } = this.#deps;
    const [events, listed] = await Promise.all([
      selectEvents(
        planned,
        refs.map(({ eventId }) => eventId),
      ),
      channels.listByProjects([...new Set(refs.map(({ projectId }) => projectId))]),
    ]);
    for (const { id, fault } of await keepForUnreadable(this.#deps.db, events, listed))
      this.#deps.logger.error(
        { channel_id: id, reason: fault },
        'a notification channel that could not be read was set aside',
      );
    return { events, channels: listed, leftOut: await findLeftOut(planned, events, listed) };
  }

  /** Returns the ids that are new. A try before may have stored some of them, and its answer was lost. */
  async #insert({ rows }: Handover, isRetry: boolean): Promise<ReadonlySet<string>> {
    const { planned, options } = this.#deps;
    const inserted = await insertDeliveries(planned, rows, options.visibilityMs);
    return isRetry ? listStored(planned, rows) : inserted;
  }

  /**
   * Dispatches events whose type and channels are known, in one statement. It skips events for which that no
   * longer holds, and returns them.
   */
  async #dispatchKnown(refs: readonly EventRef[], turn: BatchTurn): Promise<readonly EventRef[]> {
    if (this.#expect(refs) === undefined) return refs;
    await turn.planning.turn;
    const expected = this.#expect(refs);
    if (expected === undefined) return refs;
    const { handover } = this.#plan(expected, false, turn.idOf);
    turn.planning.release();
    let rows: ReadonlyMap<string, KnownRow> = new Map();
    let inserted: ReadonlySet<string> = new Set();
    try {
      ({ rows, inserted } = await this.#store((isRetry) => this.#insertKnown(expected, handover, isRetry)));
    } finally {
      await turn.handing.turn;
      this.#settle(handover, inserted, rows);
    }
    for (const one of expected) {
      const row = rows.get(one.event.event_id);
      if (row !== undefined) this.#complete(one, row.id);
    }
    return refs.filter(({ eventId }) => !rows.has(eventId));
  }

  async #insertKnown(
    expected: readonly ExpectedEvent[],
    { rows: deliveries }: Handover,
    isRetry: boolean,
  ): Promise<{ rows: ReadonlyMap<string, KnownRow>; inserted: ReadonlySet<string> }> {
    const { planned, options } = this.#deps;
    const events = expected.map(({ event: { event_id: eventId, project_id: projectId, type } }) => ({
      eventId,
      projectId,
      type,
    }));
    const projects = [...new Map(expected.map(({ project }) => [project.projectId, project])).values()];
    const fromRow = Math.max(0, this.#lastRow - ROWS_OF_DAY);
    const known = { deliveries, events, projects, fromRow };
    const listed = await insertKnownDeliveries(planned, known, options.visibilityMs);
    for (const { id } of listed) this.#lastRow = Math.max(this.#lastRow, id);
    const rows = new Map(listed.map((row) => [row.event_id, row]));
    const inserted = isRetry
      ? await listStored(
          planned,
          deliveries.filter(({ eventId }) => rows.has(eventId)),
        )
      : new Set(listed.flatMap((row) => row.inserted));
    return { rows, inserted };
  }

  #expect(refs: readonly EventRef[]): readonly ExpectedEvent[] | undefined {
    const { channels, queues, members } = this.#deps;
    return expectEvents(refs, {
      findKnown: (projectId) => channels.findKnown(projectId),
      owns: members.owns,
      isReady: (channel) => {
        const queue = queues.find(channel.id);
        return (
          queue?.channel === channel &&
          isUnfiltered(channel.filters) &&
          members.owns(channel.id) &&
          queues.roomForNew(queue) > 0
        );
      },
    });
  }

  /** Makes a plan and reserves its places in the queues in one synchronous step. */
  #plan<E extends EventToPlan>(
    wanted: readonly WantedEvent<E>[],
    isSweep: boolean,
    newId: BatchTurn['idOf'],
  ): { plan: DispatchPlan<E>; handover: Handover } {
    const { queues, members } = this.#deps;
    const roomOf = (channel: Channel): number => queues.roomForNew(queues.of(channel));
    const plan = planDispatch({ wanted, owns: members.owns, roomOf, isSweep, newId });
    return { plan, handover: new Handover(queues, plan.deliveries) };
  }

  #settle(handover: Handover, inserted: ReadonlySet<string>, bytes: ReadonlyMap<string, EventBytes>): void {
    if (handover.settle(inserted, bytes)) this.#deps.wake.notify();
  }

  #complete({ event, channels }: WantedEvent<EventToPlan>, id: number): void {
    const completed = { id, eventId: event.event_id, channelIds: channels.map((channel) => channel.id) };
    this.#marker
      .add(completed)
      .catch((err: unknown) => this.#deps.logger.warn({ err }, 'events could not be marked as dispatched'));
  }
}
