// SPDX-License-Identifier: Apache-2.0
import { Signal } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import { findPoison, isItemFault } from '@chainwatch/data/quarantine';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
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
/** For which channels want them. What is left has a turn with what has come. */
const BATCH_MS = 100;
/** Between two looks at what is set aside. */
const ASIDE_MS = 1_000;
const RETRY_MS = 1_000;

/**
 * Makes deliveries of the events in the queue, in the order of each project: which channels want them, a row for each. Every replica does it
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
  /** Of the projects, in turn. */
  #firstShare = 0;

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
        health?.fail('failed to schedule deliveries');
        logger.warn({ err }, 'failed to schedule deliveries, will retry');
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
    const events = await listUndispatched(planned, {
      ...{ limit: BATCH_MAX, aside: [...this.#aside], first: this.#firstShare },
    });
    this.#firstShare += 1;
    const isFault = (error: unknown): boolean => !this.#stop.signal.aborted && isItemFault(error);
    const untilMs = performance.now() + BATCH_MS;
    const schedule = async (some: readonly EventRow[]): Promise<void> => {
      // A half is done as a whole: what is behind it may be of the same project.
      await this.#schedule(some, some.length === events.length ? untilMs : Infinity);
    };
    const poison = await findPoison(events, schedule, isFault);
    if (poison.length > 0) {
      const named = poison.map(({ item, error }) => ({ item: { eventId: item.event_id }, error }));
      for (const { item } of await setAsideEvents(db, 'dispatch', named)) this.#aside.add(item.eventId);
    }
    for (const { item, error } of poison)
      logger.error({ err: error, event_id: item.event_id }, 'set aside an event that failed to dispatch');
    return events.length > 0;
  }

  /** Makes the deliveries of the first ones, or of all. */
  async #schedule(events: readonly EventRow[], untilMs: number): Promise<void> {
    if (events.length === 0) return;
    const { db, planned, channels, logger, onStored, onExpressionFaults } = this.#deps;
    const listed = await channels.listByProjects([...new Set(events.map((event) => event.project_id))]);
    for (const { id, fault } of await keepForUnreadable(db, events, listed))
      logger.error({ channel_id: id, reason: fault }, 'set aside an unreadable notification channel');
    const { wanted, faults } = await findWantedEvents(events, {
      untilMs,
      channels: listed,
      leftOut: await findLeftOut(planned, events, listed),
      onFault: ({ id }, err) => logger.error({ err, channel_id: id }, 'failed to read channel filters'),
    });
    await storeDeliveries(planned, wanted, faults);
    if (faults.length > 0) onExpressionFaults?.(faults.length);
    onStored([...new Set(wanted.flatMap(({ channels: of }) => of))]);
  }
}
