import type { Bus } from '@chainwatch/bus';
import type { Database } from '@chainwatch/db';
import type { PayloadOf } from '@chainwatch/events';
import type { AnalyzerLogger } from './analyzer-deps.ts';
import type { OutboxEvent, TransactionSubject } from './planned-event.ts';

const IN_FLIGHT_MAX = 512;
const SWEEP_ROWS = 500;
const SWEEP_MS = 1_000;
/** Younger rows are under way by the fast path. */
const SWEEP_AGE_MS = 2_000;
const MARK_MS = 20;
const REPUBLISH_MINUTES = 10;
const SUBJECTS: readonly TransactionSubject[] = ['tx.detected', 'tx.confirmed', 'tx.reorged'];

interface Outgoing {
  readonly eventId: string;
  readonly subject: TransactionSubject;
  readonly chainGid: string;
  readonly projectId: string;
  readonly envelope: PayloadOf<TransactionSubject>;
  readonly traceparent?: string;
}

interface OutboxRow {
  readonly event_id: string;
  readonly subject_kind: TransactionSubject;
  readonly chain_gid: string;
  readonly project_id: string;
  readonly payload: string;
  readonly traceparent: string | null;
}

interface RelayDeps {
  readonly db: Database;
  readonly bus: Pick<Bus<'tx-analyzer'>, 'publish' | 'isConnected' | 'onStreamsRecreated'>;
  readonly logger: AnalyzerLogger;
  /** Chains this replica owns. */
  readonly chainGids: () => readonly string[];
}

/**
 * Brings the outbox to the bus: committed events at once, pipelined; whatever is left behind (a crash, a silent bus, an
 * end of holding) by sweeping the table. Ids make repeats harmless.
 */
export class EventRelay {
  readonly #deps: RelayDeps;
  readonly #inFlight = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #published: string[] = [];
  #marking: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopped = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.sweep(SWEEP_AGE_MS), SWEEP_MS);
    this.#timer.unref();
    this.#stopListening = deps.bus.onStreamsRecreated((firstWord) => {
      if (firstWord === 'tx') void this.republish();
    });
  }

  /** Events of a step that has just been committed, in order. Too many at once are left to the sweep. */
  publish(events: readonly OutboxEvent[]): void {
    if (!this.#deps.bus.isConnected) return;
    for (const event of events) {
      if (this.#inFlight.size >= IN_FLIGHT_MAX) return;
      void this.#send(event);
    }
  }

  /** Publishes unpublished rows older than `ageMs`, oldest first, until none is left. */
  sweep(ageMs = 0): Promise<void> {
    this.#sweeping ??= this.#sweepAll(ageMs)
      .catch((error: unknown) => this.#deps.logger.warn({ error: String(error) }, 'the outbox could not be swept'))
      .finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  /** The streams were lost: what was stored lately is marked as unpublished and goes again. */
  async republish(): Promise<void> {
    try {
      await this.#deps.db.query(
        `UPDATE events SET published_at = NULL WHERE subject_kind = ANY($1) AND chain_gid = ANY($2) AND published_at IS NOT NULL
         AND created_at > now() - interval '${REPUBLISH_MINUTES} minutes'`,
        [SUBJECTS, this.#deps.chainGids()],
      );
      this.#deps.logger.warn({}, 'the streams were lost: events of the last minutes are published again');
    } catch (error) {
      this.#deps.logger.error({ error: String(error) }, 'events could not be published again');
    }
    await this.sweep();
  }

  /** Waits a moment for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#stopListening();
    await this.#sweeping;
    const deadline = Date.now() + 2_000;
    while (this.#inFlight.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    await this.#marking;
    await this.#mark();
  }

  async #sweepAll(ageMs: number): Promise<void> {
    while (!this.#isStopped && this.#deps.bus.isConnected) {
      const { rows } = await this.#deps.db.query<OutboxRow>(
        `SELECT event_id, subject_kind, chain_gid, project_id, payload, traceparent FROM events
         WHERE published_at IS NULL AND NOT is_held AND subject_kind = ANY($1) AND chain_gid = ANY($2)
           AND created_at <= now() - $3 * interval '1 millisecond' AND event_id <> ALL($4::uuid[])
         ORDER BY id LIMIT ${SWEEP_ROWS}`,
        [SUBJECTS, this.#deps.chainGids(), ageMs, [...this.#inFlight, ...this.#published]],
      );
      const results = await Promise.all(rows.map((row) => this.#send(outgoingOf(row))));
      await this.#mark();
      if (rows.length < SWEEP_ROWS || results.includes(false)) return;
    }
  }

  async #send(event: Outgoing): Promise<boolean> {
    if (this.#inFlight.has(event.eventId)) return true;
    this.#inFlight.add(event.eventId);
    try {
      await this.#deps.bus.publish(event.subject, [event.chainGid, event.projectId], event.envelope, {
        messageId: event.eventId,
        ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
      });
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
    await this.#deps.db
      .query({ name: 'mark_published', text: 'UPDATE events SET published_at = now() WHERE event_id = ANY($1::uuid[])', values: [ids] })
      .catch((error: unknown) => this.#deps.logger.warn({ error: String(error) }, 'published events could not be marked'));
  }
}

function outgoingOf(row: OutboxRow): Outgoing {
  return {
    eventId: row.event_id,
    subject: row.subject_kind,
    chainGid: row.chain_gid,
    projectId: row.project_id,
    // Written by buildEvent, checked there.
    envelope: JSON.parse(row.payload) as PayloadOf<TransactionSubject>,
    ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
  };
}
