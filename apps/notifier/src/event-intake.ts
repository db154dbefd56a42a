import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, BusMessage } from '@chainwatch/bus';
import type { DeliveryEngine, EventRef } from '@chainwatch/deliveries';
import { FLOW, streamOf, type EventSubject } from '@chainwatch/events';
import type { EventOrder, NotifiedEvent } from './event-order.ts';

export interface EventIntakeDeps {
  readonly engine: Pick<DeliveryEngine, 'changeShare' | 'dispatcher' | 'isSending'>;
  readonly order: EventOrder;
  readonly logger: Pick<Logger, 'warn'>;
  readonly health?: WorkerHealth;
}

/** Most events from the bus that wait for the database. Those beyond it are read from the table when half are done. */
const WAITING_MAX = 5_000;
/** An event that is under way on another connection may arrive this much later. */
const GRACE_MS = 20;
const RETRY_MS = 1_000;
/** When a channel goes to another replica, attempts that take longer than this are not waited for. */
const LEAVE_MS_MAX = 5_000;
const LEAVE_LOOK_MS = 20;

/** Every replica hears of every event. */
export function consumeEvents(bus: Bus<'notifier'>, intake: EventIntake): () => Promise<void> {
  const handlers = {
    onMessage({ messageId: eventId, sequence, tokens, type }: BusMessage<EventSubject>) {
      const [chainGid, projectId] = tokens;
      if (eventId === undefined || chainGid === undefined || projectId === undefined) return;
      intake.take({ eventId, chainGid, projectId, sequence, type });
    },
    // Events that no message brought go before new ones.
    onOpen: () => void intake.catchUp(),
  };
  // A consumer reads one stream.
  const subjects = FLOW.notifier.consumes;
  const streams = [...new Set(subjects.map(streamOf))];
  const stops = streams.map((stream) => {
    const [first, ...others] = subjects.filter((subject) => streamOf(subject) === stream);
    return bus.consume([first!, ...others], [], handlers);
  });
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/**
 * Hands events to the dispatcher in order, older ones first. Later events wait until the table has been read
 * whenever the share of this replica changes, a consumer is opened, an event could not be dispatched, or one
 * is missing.
 */
export class EventIntake {
  readonly #deps: EventIntakeDeps;
  readonly #stop = new AbortController();
  #inbox: NotifiedEvent[] = [];
  #due = { share: false, events: false };
  /** Events were left to the table, because too many waited. */
  #isBehind = false;
  #catchingUp: Promise<void> | undefined;
  #filling: Promise<void> | undefined;

  constructor(deps: EventIntakeDeps) {
    this.#deps = deps;
  }

  take(event: NotifiedEvent): void {
    if (this.#stop.signal.aborted) return;
    if (this.#size >= WAITING_MAX) this.#isBehind = true;
    else if (this.#catchingUp === undefined) this.#pass(event);
    else this.#inbox.push(event);
  }

  /** Events that wait. */
  get #size(): number {
    const { engine, order } = this.#deps;
    return engine.dispatcher.size + this.#inbox.length + order.size;
  }

  /** Call it when channels came or went. Resolves when the deliveries that wait for them were taken over or given back. */
  changeShare(): Promise<void> {
    this.#due.share = true;
    return this.catchUp();
  }

  /** Gives back waiting deliveries. Attempts under way end first, so that the next owner does not overtake them. */
  async leaveShare(share: string): Promise<void> {
    const untilMs = performance.now() + LEAVE_MS_MAX;
    await Promise.race([this.changeShare(), delay(LEAVE_MS_MAX, undefined, { ref: false })]);
    while (this.#deps.engine.isSending(share) && performance.now() < untilMs) await delay(LEAVE_LOOK_MS);
  }

  /** Dispatches what the table holds before any new event. */
  catchUp(): Promise<void> {
    this.#due.events = true;
    this.#catchingUp ??= this.#catchUpAll();
    return this.#catchingUp;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#deps.engine.dispatcher.close();
    await Promise.all([this.#catchingUp, this.#filling]);
  }

  #pass(event: NotifiedEvent): void {
    const { order } = this.#deps;
    for (const next of order.accept(event)) this.#dispatch(next);
    if (order.size > 0) this.#filling ??= this.#fillGaps();
  }

  #dispatch(event: EventRef): void {
    this.#deps.engine.dispatcher.dispatch(event).then(
      () => this.#resume(),
      (err: unknown) => {
        this.#deps.logger.warn({ err, event_id: event.eventId }, 'an event could not be dispatched');
        if (!this.#stop.signal.aborted) void this.catchUp();
      },
    );
  }

  /** After the last events of a burst nothing comes on the bus that would tell of those left out. */
  #resume(): void {
    if (!this.#isBehind || this.#size > WAITING_MAX / 2 || this.#stop.signal.aborted) return;
    this.#isBehind = false;
    void this.catchUp();
  }

  async #catchUpAll(): Promise<void> {
    const { engine, logger, health } = this.#deps;
    while (this.#due.events && !this.#stop.signal.aborted) {
      const due = this.#due;
      this.#due = { share: false, events: false };
      try {
        if (due.share) await engine.changeShare();
        await engine.dispatcher.catchUp();
        health?.succeed();
      } catch (err) {
        health?.fail('what waited could not be taken over');
        logger.warn({ err }, 'what waited could not be taken over');
        this.#due = { share: due.share || this.#due.share, events: true };
        await this.#pause(RETRY_MS);
      }
    }
    this.#catchingUp = undefined;
    const waiting = this.#inbox;
    this.#inbox = [];
    for (const event of waiting) this.#pass(event);
  }

  async #fillGaps(): Promise<void> {
    const { engine, order, logger } = this.#deps;
    while (order.size > 0 && !this.#stop.signal.aborted) {
      await this.#catchingUp;
      // As far as is known here, nothing comes before a project's first event since the start, so it need not wait.
      if (order.gaps.every(({ after }) => after > 0)) await this.#pause(GRACE_MS);
      const { gaps } = order;
      try {
        const missing = gaps.length === 0 ? [] : await engine.dispatcher.findMissing(gaps);
        // A catch-up that began meanwhile goes first: it may be at events before these.
        if (this.#catchingUp !== undefined) continue;
        if (missing.length > 0)
          logger.warn(
            { count: missing.length },
            'events that were missing on the bus were read in the table',
          );
        for (const event of missing) this.#dispatch(event);
        for (const gap of gaps) for (const event of order.close(gap)) this.#dispatch(event);
      } catch (err) {
        logger.warn({ err }, 'missing events could not be read');
        await this.#pause(RETRY_MS);
      }
    }
    this.#filling = undefined;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
