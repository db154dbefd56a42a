// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Attempt } from '@chainwatch/channels';
import type { Database, Sql } from '@chainwatch/data/db';
import { describeFault, findPoison, isItemFault } from '@chainwatch/data/quarantine';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import type { ChannelStore } from '../channel-store.ts';
import { createBatcher, type Batcher } from '../create-batcher.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import { putOffDelivery, setAsideEvents } from '../schedule/set-aside.ts';
import type { ChannelState, FinishedAttempt } from './decide-outcome.ts';
import type { ChannelActivity } from './channel-activity.ts';
import { recordAttempts, recordSuccesses } from './record-attempts.ts';

export interface RecorderDeps {
  readonly db: Database;
  readonly planned: Sql;
  readonly channels: Pick<ChannelStore, 'markUsed'>;
  readonly activity: Pick<ChannelActivity, 'add'>;
  readonly options: DeliveryOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly health?: WorkerHealth | undefined;
  readonly random: () => number;
  readonly now: () => number;
}

/** Called when the database has stored these attempts, with the new states of their channels. */
export type OnRecorded = (
  finished: readonly FinishedAttempt[],
  states: ReadonlyMap<string, ChannelState>,
) => void;

const BATCH_MAX = 500;
/**
 * Concurrent statements that record successes: an outcome that waits here for the one before is lost if the
 * process dies.
 */
const SUCCESS_WRITERS = 12;
/**
 * Most successes that the database has not stored yet; beyond that nothing new starts, because a crash would
 * repeat them.
 */
const SUCCESSES_MAX = 500;
/**
 * The same for failures. A crash may repeat those, so more are allowed: when many bad receivers fail at once,
 * the good ones do not wait.
 */
const FAILURES_MAX = 5_000;
/** Tries of the last writes while the service stops. */
const LAST_TRIES = 20;

/**
 * Records the outcomes of attempts, and retries until the database has stored them: while the process lives
 * no outcome is lost, but one that the database refuses even without its details (`Outcomes`).
 */
export class Recorder {
  readonly #deps: RecorderDeps;
  #onRecorded: OnRecorded | undefined;
  readonly #successes: Batcher<FinishedAttempt>;
  readonly #others: Batcher<FinishedAttempt>;
  #isStopping = false;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    const { db, planned, options, random, now } = deps;
    this.#successes = createBatcher(
      (finished) =>
        this.#write(finished, async (some) => {
          await recordSuccesses(planned, some);
          return new Map();
        }),
      BATCH_MAX,
      { concurrency: SUCCESS_WRITERS },
    );
    this.#others = createBatcher(
      (finished) =>
        this.#write(finished, (some) => recordAttempts(db, some, { ...options, random, nowMs: now() })),
      BATCH_MAX,
    );
  }

  listen(onRecorded: OnRecorded): void {
    this.#onRecorded = onRecorded;
  }

  add(finished: FinishedAttempt): void {
    const { errorCode, move } = finished.attempt;
    const isLast = finished.job.rehearsal === undefined;
    const isPlain = isLast && finished.isChannelClean && errorCode === undefined && move === undefined;
    void (isPlain ? this.#successes : this.#others).add(finished);
  }

  /** True when too many outcomes wait for the database: nothing new may start. */
  get isFull(): boolean {
    return this.#successes.size >= SUCCESSES_MAX || this.#others.size >= FAILURES_MAX;
  }

  /** Call it when nothing is added any more. Resolves when all is written, or when the database refused it too often. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#successes.drain(), this.#others.drain()]);
  }

  async #write(finished: readonly FinishedAttempt[], write: WriteOutcomes): Promise<void> {
    const outcomes = new Outcomes(this.#deps, finished, write);
    for (let failures = 0; ; failures += 1) {
      try {
        await outcomes.store();
        this.#deps.activity.add(finished);
        this.#deps.health?.succeed();
        break;
      } catch (err) {
        const { logger, health } = this.#deps;
        health?.fail('failed to record delivery attempts');
        logger.error({ err, attempt_count: finished.length }, 'failed to record delivery attempts');
        if (this.#isStopping && failures >= LAST_TRIES) break;
        await delay(Math.min(50 * 2 ** failures, 2_000));
      }
    }
    this.#onRecorded?.(finished, outcomes.states);
    // Only shown to customers; if the write is lost, it is made up a minute later.
    this.#deps.channels.markUsed(finished.map(({ job }) => job.channelId)).catch(() => undefined);
  }
}

/** Stores outcomes, all or none. Resolves to the states of their channels, by id. */
type WriteOutcomes = (finished: readonly FinishedAttempt[]) => Promise<ReadonlyMap<string, ChannelState>>;

interface OutcomeDeps {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'error'>;
}

const INT_MAX = 2 ** 31 - 1;

/**
 * Outcomes on their way to the database. One of them that it refuses is stored without what the receiver said; one that it
 * refuses even then is set aside, and its delivery put off. The others do not wait for it.
 */
class Outcomes {
  readonly #deps: OutcomeDeps;
  readonly #write: WriteOutcomes;
  readonly #left: Set<FinishedAttempt>;
  readonly #states = new Map<string, ChannelState>();
  #isSuspect = false;

  constructor(deps: OutcomeDeps, finished: readonly FinishedAttempt[], write: WriteOutcomes) {
    this.#deps = deps;
    this.#write = write;
    this.#left = new Set(finished);
  }

  /** Of the channels of what is stored so far. */
  get states(): ReadonlyMap<string, ChannelState> {
    return this.#states;
  }

  /** Stores what is left. After a fault that one of them may have caused, the next call looks for it. @throws what the database says */
  async store(): Promise<void> {
    const left = [...this.#left];
    if (left.length === 0) return;
    try {
      if (this.#isSuspect) await this.#storeApart(left);
      else await this.#storeAll(left);
    } catch (error) {
      this.#isSuspect ||= isItemFault(error);
      throw error;
    }
  }

  async #storeAll(some: readonly FinishedAttempt[]): Promise<void> {
    for (const [id, state] of await this.#write(some)) this.#states.set(id, state);
    for (const one of some) this.#left.delete(one);
  }

  async #storeApart(left: readonly FinishedAttempt[]): Promise<void> {
    for (const { item, error } of await findPoison(left, (some) => this.#storeAll(some))) {
      const names = { channel_id: item.job.channelId, delivery_id: item.job.id };
      this.#deps.logger.error({ ...names, err: error }, 'failed to record delivery attempt in full');
      try {
        await this.#storeAll([withoutDetails(item, error)]);
      } catch (again) {
        if (!isItemFault(again)) throw again;
        await this.#setAside(item, again);
      }
      this.#left.delete(item);
    }
  }

  async #setAside(item: FinishedAttempt, error: unknown): Promise<void> {
    const { db, logger } = this.#deps;
    const { id, eventId, channelId } = item.job;
    await putOffDelivery(db, id);
    await setAsideEvents(db, 'records', [{ item: { eventId }, error }]);
    logger.error(
      { err: error, channel_id: channelId, delivery_id: id, event_id: eventId },
      'set aside a delivery whose outcome was refused',
    );
  }
}

/** The same outcome, with numbers and times that a column takes, and without any text of the receiver. */
function withoutDetails({ attempt, ...rest }: FinishedAttempt, error: unknown): FinishedAttempt {
  const { durationMs, statusCode, startedAt } = attempt;
  const plain: Attempt = {
    ...attempt,
    startedAt: Number.isNaN(startedAt.getTime()) ? new Date() : startedAt,
    durationMs: Number.isFinite(durationMs) ? Math.min(Math.max(0, Math.round(durationMs)), INT_MAX) : 0,
    statusCode: Number.isInteger(statusCode) && statusCode! <= INT_MAX ? statusCode : undefined,
    request: { method: attempt.request.method, url: '', headers: {} },
    responseHeaders: undefined,
    responseBody: `not recorded: ${describeFault(error)}`,
  };
  return { ...rest, attempt: plain };
}
