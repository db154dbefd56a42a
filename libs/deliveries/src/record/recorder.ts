import type { Logger } from '@chainwatch/telemetry';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Sql } from '@chainwatch/db';
import type { ChannelStore } from '../channel-store.ts';
import { createBatcher, type Batcher } from '../create-batcher.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import type { ChannelState } from './channel-state.ts';
import { recordAttempts } from './record-attempts.ts';
import { recordSuccesses } from './record-successes.ts';
import type { FinishedAttempt } from './finished-attempt.ts';

export interface RecorderDeps {
  readonly db: Database;
  readonly planned: Sql;
  readonly channels: Pick<ChannelStore, 'markUsed'>;
  readonly options: DeliveryOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly random: () => number;
  readonly now: () => number;
}

/** The database has taken these attempts, and says this about their channels. */
export type OnRecorded = (
  finished: readonly FinishedAttempt[],
  states: ReadonlyMap<string, ChannelState>,
) => void;

const BATCH_MAX = 500;
/** Statements under way at once that note successes: an outcome that waits here for the one before is lost with the process. */
const SUCCESS_WRITERS = 12;
/** Successes that the database has not stored yet, and a crash would repeat: beyond that, nothing new starts. */
const SUCCESSES_MAX = 500;
/** The same of failures, which a crash may repeat: many bad receivers fail at once, and the good ones do not wait for that. */
const FAILURES_MAX = 5_000;
/** Tries of a service that stops. */
const LAST_TRIES = 20;

/** Writes what came of attempts, until the database took it: what was sent is never forgotten while the process lives. */
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
        this.#write(finished, async () => {
          await recordSuccesses(planned, finished);
          return new Map();
        }),
      BATCH_MAX,
      { concurrency: SUCCESS_WRITERS },
    );
    this.#others = createBatcher(
      (finished) =>
        this.#write(finished, () => recordAttempts(db, finished, { ...options, random, nowMs: now() })),
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

  /** Too much waits for the database: nothing new may start. */
  get isFull(): boolean {
    return this.#successes.size >= SUCCESSES_MAX || this.#others.size >= FAILURES_MAX;
  }

  /** Nothing is added any more: resolves when all is written, or the database refused it too often. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#successes.drain(), this.#others.drain()]);
  }

  async #write(
    finished: readonly FinishedAttempt[],
    write: () => Promise<ReadonlyMap<string, ChannelState>>,
  ): Promise<void> {
    let states: ReadonlyMap<string, ChannelState> = new Map();
    for (let failures = 0; ; failures += 1) {
      try {
        states = await write();
        break;
      } catch (err) {
        const { logger } = this.#deps;
        logger.error({ err, attempt_count: finished.length }, 'attempts could not be recorded');
        if (this.#isStopping && failures >= LAST_TRIES) break;
        await delay(Math.min(50 * 2 ** failures, 2_000));
      }
    }
    this.#onRecorded?.(finished, states);
    // Shown to customers only; a note that is lost is made a minute later.
    this.#deps.channels.markUsed(finished.map(({ job }) => job.channelId)).catch(() => undefined);
  }
}
