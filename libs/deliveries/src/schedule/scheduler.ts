import { Signal } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import { findPoison, isItemFault } from '@chainwatch/quarantine';
import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import type { Channel, ChannelStore } from '../channel-store.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import { findWantedEvents } from './find-wanted-events.ts';
import { findLeftOut } from './read-left-out.ts';
import {
  endDispatched,
  endUnreadable,
  keepForUnreadable,
  retryEvents,
  retryPutOff,
  setAsideEvents,
} from './set-aside.ts';
import { listUndispatched, storeDeliveries, type EventRow } from './undispatched.ts';

export interface SchedulerDeps {
  readonly db: Sql;
  readonly planned: Sql;
  readonly channels: ChannelStore;
  /** Called with channels that have new deliveries, whoever owns them. */
  readonly onStored: (channels: readonly Channel[]) => void;
  readonly onExpressionFaults?: ((count: number) => void) | undefined;
  readonly options: Pick<DeliveryOptions, 'pollMs'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly health?: WorkerHealth | undefined;
  readonly now: () => number;
}

const BATCH_MAX = 200;
/** Between two looks at what is set aside. */
const ASIDE_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * Makes deliveries of the events in the queue, in order: which channels want them, a row for each. Every replica does it
 * for all of them, and one is first. A bell only says that there may be something.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #bell = new Signal();
  readonly #stop = new AbortController();
  /** What fails alone and has no chain that an incident could stand at: it is tried again at the next start. */
  readonly #aside = new Set<string>();
  readonly #running: Promise<void>;
  #isStarted = false;
  #asideAtMs = 0;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  /** Events may have come. */
  ring(): void {
    this.#bell.notify();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { options, logger, health } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let waitMs = options.pollMs;
      try {
        if (!this.#isStarted) await retryEvents(this.#deps.db);
        this.#isStarted = true;
        await this.#lookAtAside();
        while (!signal.aborted && (await this.#scheduleNext()));
        health?.succeed();
      } catch (err) {
        health?.fail('deliveries could not be scheduled');
        logger.warn({ err }, 'deliveries could not be scheduled, retrying');
        waitMs = RETRY_MS;
      }
      await this.#bell.wait(waitMs, signal);
    }
  }

  async #lookAtAside(): Promise<void> {
    const { db, now } = this.#deps;
    if (now() - this.#asideAtMs < ASIDE_MS) return;
    this.#asideAtMs = now();
    await endDispatched(db);
    await retryPutOff(db);
    await endUnreadable(db);
  }

  /**
   * Where a batch fails, maybe because of a single event, halves are tried, and what fails alone is set aside: others do not
   * wait for it. True: there may be more.
   */
  async #scheduleNext(): Promise<boolean> {
    const { db, planned, logger } = this.#deps;
    const events = await listUndispatched(planned, BATCH_MAX, [...this.#aside]);
    const isFault = (error: unknown): boolean => !this.#stop.signal.aborted && isItemFault(error);
    const poison = await findPoison(events, (some) => this.#schedule(some), isFault);
    if (poison.length > 0) {
      const named = poison.map(({ item, error }) => ({ item: { eventId: item.event_id }, error }));
      for (const { item } of await setAsideEvents(db, 'dispatch', named)) this.#aside.add(item.eventId);
    }
    for (const { item, error } of poison)
      logger.error(
        { err: error, event_id: item.event_id },
        'an event that could not be dispatched was set aside',
      );
    return events.length === BATCH_MAX;
  }

  async #schedule(events: readonly EventRow[]): Promise<void> {
    if (events.length === 0) return;
    const { db, planned, channels, logger, onStored, onExpressionFaults } = this.#deps;
    const listed = await channels.listByProjects([...new Set(events.map((event) => event.project_id))]);
    for (const { id, fault } of await keepForUnreadable(db, events, listed))
      logger.error(
        { channel_id: id, reason: fault },
        'a notification channel that could not be read was set aside',
      );
    const { wanted, faults } = findWantedEvents(events, {
      channels: listed,
      leftOut: await findLeftOut(planned, events, listed),
      onFault: ({ id }, err) =>
        logger.error({ err, channel_id: id }, 'the filters of a notification channel could not be read'),
    });
    await storeDeliveries(planned, wanted, faults);
    if (faults.length > 0) onExpressionFaults?.(faults.length);
    onStored([...new Set(wanted.flatMap(({ channels: of }) => of))]);
  }
}
