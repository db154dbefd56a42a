import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Sql } from '@chainwatch/db';
import type { ChannelStore } from '../channel-store.ts';
import { createBatcher, type Batcher } from '../create-batcher.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import type { ChannelState, FinishedAttempt } from './decide-outcome.ts';
import { recordAttempts, recordSuccesses } from './record-attempts.ts';
import { Outcomes, type WriteOutcomes } from './write-outcomes.ts';

export interface RecorderDeps {
  readonly db: Database;
  readonly planned: Sql;
  readonly channels: Pick<ChannelStore, 'markUsed'>;
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
    const isPlain = finished.isChannelClean && finished.attempt.errorCode === undefined;
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
        this.#deps.health?.succeed();
        break;
      } catch (err) {
        const { logger, health } = this.#deps;
        health?.fail('attempts could not be recorded');
        logger.error({ err, attempt_count: finished.length }, 'attempts could not be recorded');
        if (this.#isStopping && failures >= LAST_TRIES) break;
        await delay(Math.min(50 * 2 ** failures, 2_000));
      }
    }
    this.#onRecorded?.(finished, outcomes.states);
    // Only shown to customers; if the write is lost, it is made up a minute later.
    this.#deps.channels.markUsed(finished.map(({ job }) => job.channelId)).catch(() => undefined);
  }
}
