// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '../bus/index.ts';
import type { Database } from '../db/index.ts';
import {
  streamOf,
  type EventSubject,
  type FlowService,
  type PayloadOf,
  type ProducedBy,
} from '@chainwatch/events';
import { LostStreamCheck } from './lost-stream-check.ts';
import { readUnpublished, type OutgoingEvent } from './read-unpublished.ts';

const IN_FLIGHT_MAX = 512;
const SWEEP_ROWS = 500;
const SWEEP_MS = 5_000;
/** Younger rows are under way. */
const SWEEP_AGE_MS = 10_000;
const RETRY_MS = 250;
const STOP_MS = 2_000;

/** Services that keep an outbox. */
type Relaying = Extract<FlowService, 'tx-analyzer' | 'balance-service'>;

export interface RelayDeps<S extends Relaying> {
  readonly db: Database;
  readonly bus: Pick<Bus<S>, 'publish' | 'isConnected' | 'onStreamsRecreated' | 'streamState' | 'readStream'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly subjects: readonly (EventSubject & ProducedBy<S>)[];
  /** Chains this replica owns. */
  readonly chainGids: () => readonly string[];
}

/**
 * Publishes the outbox to the bus in table order. Committed events go out at once, pipelined, unless older ones are
 * unpublished: then those go first. A sweep finds rows that nobody announced. Message ids make repeats harmless.
 */
export class EventRelay<S extends Relaying> {
  readonly #deps: RelayDeps<S>;
  readonly #stream: string;
  readonly #inFlight = new Map<string, Promise<boolean>>();
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  readonly #marks: PublishedMarks;
  readonly #check: LostStreamCheck;
  #sweeping: Promise<void> | undefined;
  /** Older events may be unpublished: new ones wait in the table. */
  #catchingUp: Promise<void> | undefined;
  /** Events were left to the table since it was last read. */
  #hasLeft = false;
  /** An attempt failed since the last one that did not: told of once. */
  #isRefused = false;
  readonly #stop = new AbortController();

  constructor(deps: RelayDeps<S>) {
    this.#deps = deps;
    this.#stream = streamOf(deps.subjects[0]!);
    const { db, logger, subjects } = deps;
    const bus = deps.bus as Pick<Bus<FlowService>, 'readStream' | 'streamState'>;
    this.#marks = new PublishedMarks({ db, bus, stream: this.#stream, logger });
    this.#check = new LostStreamCheck({ db, bus, stream: this.#stream, subjects, logger });
    this.#timer = setInterval(() => void this.sweep(SWEEP_AGE_MS), SWEEP_MS);
    this.#timer.unref();
    this.#stopListening = deps.bus.onStreamsRecreated((stream) => {
      if (stream !== this.#stream) return;
      this.#check.expectLoss();
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

  /** Publishes every unpublished event of the chains owned now, before new ones. Resolves when none is left. */
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
    // Events left to the table are still ours to publish.
    if (this.#deps.bus.isConnected)
      await Promise.race([this.#catchingUp, delay(STOP_MS, undefined, { ref: false })]);
    this.#stop.abort();
    await Promise.all([this.#sweeping, this.#catchingUp]);
    const deadline = Date.now() + STOP_MS;
    while (this.#inFlight.size > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await this.#marks.close();
  }

  async #catchUpAll(): Promise<void> {
    const { bus, logger } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted && this.#hasLeft) {
      if (bus.isConnected) {
        try {
          // Events in flight keep their place, or are read again.
          await Promise.all(this.#inFlight.values());
          await this.#check.run();
          this.#hasLeft = false;
          if (await this.#publishAll(0)) continue;
        } catch (error) {
          logger.warn({ err: error }, 'failed to read outbox, will retry');
        }
        this.#hasLeft = true;
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    // Cleared synchronously: an event left from now on starts a new catch-up.
    this.#catchingUp = undefined;
  }

  async #sweepOnce(ageMs: number): Promise<void> {
    if (this.#catchingUp !== undefined) return;
    try {
      await this.#publishAll(ageMs);
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'outbox sweep failed');
    }
  }

  /** True when nothing older than `ageMs` is left. */
  async #publishAll(ageMs: number): Promise<boolean> {
    while (!this.#stop.signal.aborted && this.#deps.bus.isConnected) {
      const events = await readUnpublished(this.#deps.db, {
        subjects: this.#deps.subjects,
        chainGids: this.#deps.chainGids(),
        ageMs,
        except: [...this.#inFlight.keys(), ...this.#marks.eventIds],
        limit: SWEEP_ROWS,
      });
      const [first, ...others] = events;
      // The first goes alone: if the bus refuses it, no later event overtakes it.
      if (first !== undefined && !(await this.#send(first))) return false;
      const results = await Promise.all(others.map((event) => this.#send(event)));
      await this.#marks.write();
      if (results.includes(false)) return false;
      if (events.length < SWEEP_ROWS) return true;
    }
    return false;
  }

  #send(event: OutgoingEvent): Promise<boolean> {
    const known = this.#inFlight.get(event.eventId);
    if (known !== undefined) return known;
    const sending = this.#sendOnce(event).finally(() => this.#inFlight.delete(event.eventId));
    this.#inFlight.set(event.eventId, sending);
    return sending;
  }

  async #sendOnce(event: OutgoingEvent): Promise<boolean> {
    const { sequence } = event.envelope;
    try {
      await this.#deps.bus.publish(event.subject as ProducedBy<S>, {
        tokens: [event.chainGid, event.projectId],
        payload: event.envelope as PayloadOf<ProducedBy<S>>,

        messageId: event.eventId,
        ...(sequence === null ? {} : { sequence }),
        type: event.envelope.type,
        json: event.payload,
        traceparent: event.traceparent,
      });
      this.#isRefused = false;
      this.#marks.add(event.eventId);
      return true;
    } catch (err) {
      // The row stays unpublished, and later events wait for it.
      if (!this.#isRefused)
        this.#deps.logger.warn({ err, event_id: event.eventId }, 'failed to publish event, will retry');
      this.#isRefused = true;
      void this.catchUp();
      return false;
    }
  }
}

interface MarkDeps {
  readonly db: Database;
  readonly bus: Pick<Bus<FlowService>, 'streamState'>;
  readonly stream: string;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Published {
  readonly eventId: string;
  /** Incarnation of the stream that stored it. */
  readonly incarnation: string;
}

const MARK_MS = 100;

/** Marks events as published, in groups. A lost mark costs a second message with the same id. */
class PublishedMarks {
  readonly #deps: MarkDeps;
  readonly #underWay = new Set<string>();
  #waiting: Published[] = [];
  #timer: Promise<void> | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(deps: MarkDeps) {
    this.#deps = deps;
  }

  /** Published events whose rows may not be marked yet. */
  get eventIds(): string[] {
    return [...this.#waiting.map(({ eventId }) => eventId), ...this.#underWay];
  }

  add(eventId: string): void {
    const { incarnation } = this.#deps.bus.streamState(this.#deps.stream);
    this.#waiting.push({ eventId, incarnation });
    this.#timer ??= this.#writeSoon();
  }

  /** Events of a stream that was lost meanwhile stay unpublished: the stream's row then has another incarnation. */
  async write(): Promise<void> {
    const { db, bus, stream, logger } = this.#deps;
    const { incarnation, lastSeq } = bus.streamState(stream);
    const ids = this.#waiting
      .filter((event) => event.incarnation === incarnation)
      .map(({ eventId }) => eventId);
    this.#waiting = [];
    if (ids.length === 0) return;
    for (const id of ids) this.#underWay.add(id);
    this.#lastWrite = db
      .query({
        name: 'mark_published',
        // No flush to disk: a lost mark is harmless (see the class).
        text: `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
               stream AS (UPDATE stream_incarnations SET last_seq = greatest(last_seq, $4), seen_at = now() FROM relaxed WHERE stream = $2 AND incarnation = $3 RETURNING 1)
               DELETE FROM unpublished_events u USING stream, (SELECT row_id FROM event_keys WHERE event_id = ANY($1::uuid[]) OFFSET 0) k WHERE u.event_row_id = k.row_id`,
        values: [ids, stream, incarnation, lastSeq],
      })
      .catch((err: unknown) => logger.warn({ err }, 'failed to mark published events'))
      .finally(() => ids.forEach((id) => this.#underWay.delete(id)));
    await this.#lastWrite;
  }

  /** Writes what is left, and waits for what is under way. */
  async close(): Promise<void> {
    await this.#timer;
    await this.write();
    await this.#lastWrite;
  }

  async #writeSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, MARK_MS));
    this.#timer = undefined;
    await this.write();
  }
}
