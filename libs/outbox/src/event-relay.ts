import type { Bus } from '@chainwatch/bus';
import type { Database } from '@chainwatch/db';
import { streamOf, type FlowService, type PayloadOf, type ProducedBy } from '@chainwatch/events';

const IN_FLIGHT_MAX = 512;
const SWEEP_ROWS = 500;
const SWEEP_MS = 1_000;
/** Younger rows are under way by the fast path. */
const SWEEP_AGE_MS = 2_000;
const MARK_MS = 100;
const REPUBLISH_MS = 600_000;
/** Rows of table events looked through at once, backwards from the newest. */
const REPUBLISH_ROWS = 5_000;

/** The subjects whose events stand in table events. */
export type OutboxSubject = 'tx.detected' | 'tx.confirmed' | 'tx.reorged' | 'balance.changed';
/** Services that keep an outbox. */
type Relaying = Extract<FlowService, 'tx-analyzer' | 'balance-service'>;

/** A committed row of table events. */
export interface OutgoingEvent {
  readonly eventId: string;
  readonly subject: OutboxSubject;
  readonly chainGid: string;
  readonly projectId: string;
  readonly envelope: PayloadOf<OutboxSubject>;
  /** The envelope as the row holds it. */
  readonly payload: string;
  readonly traceparent?: string | undefined;
}

interface OutboxRow {
  readonly event_id: string;
  readonly subject_kind: OutboxSubject;
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
  readonly bus: Pick<Bus<S>, 'publish' | 'isConnected' | 'onStreamsRecreated'>;
  readonly logger: RelayLogger;
  readonly subjects: readonly (OutboxSubject & ProducedBy<S>)[];
  /** Chains this replica owns. */
  readonly chainGids: () => readonly string[];
}

/**
 * Brings the outbox to the bus: committed events at once, pipelined; whatever is left behind (a crash, a silent bus, an
 * end of holding) by sweeping the table. Ids make repeats harmless.
 */
export class EventRelay<S extends Relaying> {
  readonly #deps: RelayDeps<S>;
  readonly #inFlight = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #published: string[] = [];
  /** Published, and the mark that says so is on its way. */
  readonly #beingMarked = new Set<string>();
  #marking: Promise<void> | undefined;
  #lastMark: Promise<unknown> = Promise.resolve();
  #sweeping: Promise<void> | undefined;
  #isStopped = false;
  /** Chains whose events were published again since the streams were last lost, and until when others may be. */
  #lost: { readonly untilMs: number; readonly doneGids: Set<string> } | undefined;

  constructor(deps: RelayDeps<S>) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.sweep(SWEEP_AGE_MS), SWEEP_MS);
    this.#timer.unref();
    this.#stopListening = deps.bus.onStreamsRecreated((firstWord) => {
      if (!deps.subjects.some((subject) => streamOf(subject) === firstWord)) return;
      this.#lost = { untilMs: Date.now() + REPUBLISH_MS, doneGids: new Set() };
      void this.sweep();
    });
  }

  /** Events of a step that has just been committed, in order. Too many at once are left to the sweep. */
  publish(events: readonly OutgoingEvent[]): void {
    if (!this.#deps.bus.isConnected) return;
    for (const event of events) {
      if (this.#inFlight.size >= IN_FLIGHT_MAX) return;
      void this.#send(event);
    }
  }

  /** Publishes unpublished rows older than `ageMs`, oldest first, until none is left. */
  sweep(ageMs = 0): Promise<void> {
    this.#sweeping ??= this.#sweepAll(ageMs)
      .catch((error: unknown) =>
        this.#deps.logger.warn({ error: String(error) }, 'the outbox could not be swept'),
      )
      .finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** Waits a moment for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#stopListening();
    await this.#sweeping;
    const deadline = Date.now() + 2_000;
    while (this.#inFlight.size > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await this.#marking;
    await this.#mark();
    await this.#lastMark;
  }

  async #sweepAll(ageMs: number): Promise<void> {
    await this.#unpublishLost();
    while (!this.#isStopped && this.#deps.bus.isConnected) {
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
          [...this.#inFlight, ...this.#published, ...this.#beingMarked],
        ],
      );
      const results = await Promise.all(rows.map((row) => this.#send(outgoingOf(row))));
      await this.#mark();
      if (rows.length < SWEEP_ROWS || results.includes(false)) return;
    }
  }

  /**
   * The streams were lost: what was stored lately counts as unpublished again. At a start no chain is owned yet when the
   * bus tells of the loss, so each chain has its turn when it is.
   */
  async #unpublishLost(): Promise<void> {
    const lost = this.#lost;
    if (lost === undefined) return;
    if (Date.now() > lost.untilMs) return void (this.#lost = undefined);
    const gids = this.#deps.chainGids().filter((gid) => !lost.doneGids.has(gid));
    if (gids.length === 0) return;
    // What the lost streams had stored is marked before, not after.
    await this.#mark();
    await this.#lastMark;
    await this.#unpublishRecent(gids);
    for (const gid of gids) lost.doneGids.add(gid);
    this.#deps.logger.warn(
      { chain_gids: gids },
      'the streams were lost: events of the last minutes are published again',
    );
  }

  /** Ids grow with time: the newest rows are looked through, as far back as they are recent. */
  async #unpublishRecent(chainGids: readonly string[]): Promise<void> {
    const { db, subjects } = this.#deps;
    let beforeId = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const { rows } = await db.query<{ first_id: number | null; is_recent: boolean | null }>(
        `WITH page AS MATERIALIZED (SELECT id, subject_kind, chain_gid, created_at > now() - $4 * interval '1 millisecond' AS is_recent FROM events WHERE id < $3 ORDER BY id DESC LIMIT ${REPUBLISH_ROWS}),
         again AS (INSERT INTO unpublished_events SELECT id, subject_kind FROM page WHERE is_recent AND subject_kind = ANY($1) AND chain_gid = ANY($2) ON CONFLICT DO NOTHING)
         SELECT min(id) AS first_id, bool_or(is_recent) AS is_recent FROM page`,
        [subjects, chainGids, beforeId, REPUBLISH_MS],
      );
      const { first_id, is_recent } = rows[0]!;
      if (first_id === null || is_recent !== true) return;
      beforeId = first_id;
    }
  }

  async #send(event: OutgoingEvent): Promise<boolean> {
    if (this.#inFlight.has(event.eventId)) return true;
    this.#inFlight.add(event.eventId);
    try {
      await this.#deps.bus.publish(
        event.subject as ProducedBy<S>,
        [event.chainGid, event.projectId],
        event.envelope as PayloadOf<ProducedBy<S>>,
        {
          messageId: event.eventId,
          json: event.payload,
          ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
        },
      );
      this.#published.push(event.eventId);
      this.#marking ??= this.#markSoon();
      return true;
    } catch {
      // The row stays unpublished: the sweep comes back to it.
      return false;
    } finally {
      this.#inFlight.delete(event.eventId);
    }
  }

  async #markSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, MARK_MS));
    this.#marking = undefined;
    await this.#mark();
  }

  async #mark(): Promise<void> {
    const ids = this.#published;
    if (ids.length === 0) return;
    this.#published = [];
    for (const id of ids) this.#beingMarked.add(id);
    this.#lastMark = this.#deps.db
      .query({
        name: 'mark_published',
        // Not flushed: a mark that is lost costs a second message with the same id.
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
               DELETE FROM unpublished_events u USING relaxed, (SELECT id FROM events WHERE event_id = ANY($1::uuid[]) OFFSET 0) e WHERE u.event_row_id = e.id`,
        values: [ids],
      })
      .catch((error: unknown) =>
        this.#deps.logger.warn({ error: String(error) }, 'published events could not be marked'),
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
    envelope: JSON.parse(row.payload) as PayloadOf<OutboxSubject>,
    payload: row.payload,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  };
}
