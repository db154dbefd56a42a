import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@chainwatch/bus';
import type { Database } from '@chainwatch/db';
import {
  streamOf,
  type EventSubject,
  type FlowService,
  type PayloadOf,
  type ProducedBy,
} from '@chainwatch/events';
import { checkStream } from './check-stream.ts';

const IN_FLIGHT_MAX = 512;
const SWEEP_ROWS = 500;
const SWEEP_MS = 5_000;
/** Younger rows are under way. */
const SWEEP_AGE_MS = 10_000;
const RETRY_MS = 250;
const MARK_MS = 100;
const STOP_MS = 2_000;

/** Services that keep an outbox. */
type Relaying = Extract<FlowService, 'tx-analyzer' | 'balance-service'>;

/** A committed row of table events. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly subject: EventSubject;
  readonly chainGid: string;
  readonly projectId: string;
  readonly envelope: PayloadOf<EventSubject>;
  /** The envelope as the row holds it. */
  readonly payload: string;
  readonly traceparent?: string | undefined;
}

interface OutboxRow {
  readonly event_id: string;
  readonly subject_kind: EventSubject;
  readonly chain_gid: string;
  readonly project_id: string;
  readonly payload: string;
  readonly traceparent: string | null;
}

interface RelayLogger {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface RelayDeps<S extends Relaying> {
  readonly db: Database;
  readonly bus: Pick<Bus<S>, 'publish' | 'isConnected' | 'onStreamsRecreated' | 'streamState' | 'readStream'>;
  readonly logger: RelayLogger;
  readonly subjects: readonly (EventSubject & ProducedBy<S>)[];
  /** Chains this replica owns. */
  readonly chainGids: () => readonly string[];
}

interface PublishedEvent {
  readonly eventId: string;
  /** Of the stream that stored it. */
  readonly incarnation: string;
}

/**
 * Brings the outbox to the bus, in the order of the table: committed events at once, pipelined, as long as nothing older is
 * left; otherwise what is left first. A sweep finds what nobody knew of. Ids make repeats harmless.
 */
export class EventRelay<S extends Relaying> {
  readonly #deps: RelayDeps<S>;
  readonly #stream: string;
  readonly #inFlight = new Map<string, Promise<boolean>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #published: PublishedEvent[] = [];
  /** Published, and the mark that says so is on its way. */
  readonly #beingMarked = new Set<string>();
  #marking: Promise<void> | undefined;
  #lastMark: Promise<unknown> = Promise.resolve();
  #sweeping: Promise<void> | undefined;
  /** Older events may be unpublished: new ones wait in the table. */
  #catchingUp: Promise<void> | undefined;
  /** Events were left to the table since it was last read. */
  #hasLeft = false;
  #isChecked = false;
  readonly #stop = new AbortController();

  constructor(deps: RelayDeps<S>) {
    this.#deps = deps;
    this.#stream = streamOf(deps.subjects[0]!);
    this.#timer = setInterval(() => void this.sweep(SWEEP_AGE_MS), SWEEP_MS);
    this.#timer.unref();
    this.#stopListening = deps.bus.onStreamsRecreated((stream) => {
      if (stream !== this.#stream) return;
      this.#isChecked = false;
      void this.catchUp();
    });
    void this.catchUp();
  }

  /** Events of a step that has just been committed, in order. */
  publish(events: readonly OutgoingEvent[]): void {
    for (const event of events) {
      const isFree = this.#catchingUp === undefined && this.#deps.bus.isConnected;
      if (!isFree || this.#inFlight.size >= IN_FLIGHT_MAX) return void this.catchUp();
      void this.#send(event);
    }
  }

  /** Publishes everything that is left of the chains owned now, before anything new. Resolves when nothing is. */
  catchUp(): Promise<void> {
    this.#hasLeft = true;
    this.#catchingUp ??= this.#catchUpAll();
    return this.#catchingUp;
  }

  /** Publishes unpublished rows older than `ageMs`, oldest first, until none is left. */
  sweep(ageMs = 0): Promise<void> {
    this.#sweeping ??= this.#sweepOnce(ageMs).finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** Waits a moment for what is under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening();
    // What was left to the table is still ours to bring.
    if (this.#deps.bus.isConnected)
      await Promise.race([this.#catchingUp, delay(STOP_MS, undefined, { ref: false })]);
    this.#stop.abort();
    await Promise.all([this.#sweeping, this.#catchingUp]);
    const deadline = Date.now() + STOP_MS;
    while (this.#inFlight.size > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await this.#marking;
    await this.#mark();
    await this.#lastMark;
  }

  async #catchUpAll(): Promise<void> {
    const { bus, logger } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted && this.#hasLeft) {
      if (bus.isConnected) {
        try {
          // What is under way keeps its place, or is found again.
          await Promise.all(this.#inFlight.values());
          await this.#checkStream();
          this.#hasLeft = false;
          if (await this.#publishAll(0)) continue;
        } catch (error) {
          logger.warn({ error: String(error) }, 'the outbox could not be read, it is read again');
        }
        this.#hasLeft = true;
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    // At once: whoever leaves something from now on begins anew.
    this.#catchingUp = undefined;
  }

  async #sweepOnce(ageMs: number): Promise<void> {
    if (this.#catchingUp !== undefined) return;
    try {
      await this.#publishAll(ageMs);
    } catch (error) {
      this.#deps.logger.warn({ error: String(error) }, 'the outbox could not be swept');
    }
  }

  /** True when nothing older than `ageMs` is left. */
  async #publishAll(ageMs: number): Promise<boolean> {
    while (!this.#stop.signal.aborted && this.#deps.bus.isConnected) {
      const { rows } = await this.#deps.db.query<OutboxRow>(
        // Row by row (OFFSET 0), in the order of the queue: the planner cannot know how short it is. A time ahead of the
        // database's is of a clock that runs ahead: such an event does not wait for it.
        `SELECT e.* FROM unpublished_events u
         CROSS JOIN LATERAL (SELECT event_id, subject_kind, chain_gid, project_id, payload, traceparent, created_at FROM events WHERE id = u.event_row_id AND NOT is_held OFFSET 0) e
         WHERE u.subject_kind = ANY($1) AND e.chain_gid = ANY($2) AND e.created_at NOT BETWEEN now() - $3 * interval '1 millisecond' AND now() AND e.event_id <> ALL($4::uuid[])
         ORDER BY u.event_row_id LIMIT ${SWEEP_ROWS}`,
        [
          this.#deps.subjects,
          this.#deps.chainGids(),
          ageMs,
          [...this.#inFlight.keys(), ...this.#published.map(({ eventId }) => eventId), ...this.#beingMarked],
        ],
      );
      const [first, ...others] = rows.map(outgoingOf);
      // The first goes alone: where the bus does not take it, nothing passes it.
      if (first !== undefined && !(await this.#send(first))) return false;
      const results = await Promise.all(others.map((event) => this.#send(event)));
      await this.#mark();
      if (results.includes(false)) return false;
      if (rows.length < SWEEP_ROWS) return true;
    }
    return false;
  }

  async #checkStream(): Promise<void> {
    if (this.#isChecked) return;
    const { db, bus, logger, subjects } = this.#deps;
    this.#isChecked = true;
    try {
      if (
        await checkStream({
          db,
          bus: bus as Pick<Bus<FlowService>, 'readStream'>,
          stream: this.#stream,
          subjects,
        })
      )
        logger.warn(
          { stream: this.#stream },
          'the stream was lost: events since shortly before are published again',
        );
    } catch (error) {
      this.#isChecked = false;
      throw error;
    }
  }

  #send(event: OutgoingEvent): Promise<boolean> {
    const known = this.#inFlight.get(event.eventId);
    if (known !== undefined) return known;
    const sending = this.#sendOnce(event).finally(() => this.#inFlight.delete(event.eventId));
    this.#inFlight.set(event.eventId, sending);
    return sending;
  }

  async #sendOnce(event: OutgoingEvent): Promise<boolean> {
    try {
      await this.#deps.bus.publish(
        event.subject as ProducedBy<S>,
        [event.chainGid, event.projectId],
        event.envelope as PayloadOf<ProducedBy<S>>,
        {
          messageId: event.eventId,
          sequence: event.envelope.sequence,
          json: event.payload,
          ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
        },
      );
      const { incarnation } = this.#deps.bus.streamState(this.#stream);
      this.#published.push({ eventId: event.eventId, incarnation });
      this.#marking ??= this.#markSoon();
      return true;
    } catch {
      // The row stays unpublished, and what comes after it waits.
      void this.catchUp();
      return false;
    }
  }

  async #markSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, MARK_MS));
    this.#marking = undefined;
    await this.#mark();
  }

  /** What a stream had stored that was lost meanwhile stays unpublished: the row of the stream has another incarnation then. */
  async #mark(): Promise<void> {
    const { db, bus, logger } = this.#deps;
    const { incarnation, lastSeq } = bus.streamState(this.#stream);
    const ids = this.#published
      .filter((one) => one.incarnation === incarnation)
      .map(({ eventId }) => eventId);
    this.#published = [];
    if (ids.length === 0) return;
    for (const id of ids) this.#beingMarked.add(id);
    this.#lastMark = db
      .query({
        name: 'mark_published',
        // Not flushed: a mark that is lost costs a second message with the same id.
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
               stream AS (UPDATE stream_incarnations SET last_seq = greatest(last_seq, $4), seen_at = now() FROM relaxed WHERE stream = $2 AND incarnation = $3 RETURNING 1)
               DELETE FROM unpublished_events u USING stream, (SELECT id FROM events WHERE event_id = ANY($1::uuid[]) OFFSET 0) e WHERE u.event_row_id = e.id`,
        values: [ids, this.#stream, incarnation, lastSeq],
      })
      .catch((error: unknown) =>
        logger.warn({ error: String(error) }, 'published events could not be marked'),
      )
      .finally(() => ids.forEach((id) => this.#beingMarked.delete(id)));
    await this.#lastMark;
  }
}

function outgoingOf(row: OutboxRow): OutgoingEvent {
  return {
    eventId: row.event_id,
    subject: row.subject_kind,
    chainGid: row.chain_gid,
    projectId: row.project_id,
    // Written by the service that relays it.
    envelope: JSON.parse(row.payload) as PayloadOf<EventSubject>,
    payload: row.payload,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  };
}
