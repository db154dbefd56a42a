// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { BaseError } from '@chainwatch/common/problem';
import { degraded, gauge, ok, onScrape, type CheckResult, type Logger } from '@chainwatch/platform/telemetry';
import pg from 'pg';
import { findProof, SAMPLE_PRIMARY, SAMPLE_STANDBY, type Sample, type StandbyState } from './find-proof.ts';
import { KEEP_ALIVE } from './session-settings.ts';

export interface StandbyOptions {
  /** Of one standby, or of a pooler before it. */
  readonly url: string;
  readonly primaryUrl: string;
  readonly applicationName: string;
  /** A standby that is known to show less than what was committed so long ago is not read. */
  readonly stalenessMs: number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** What a standby shows. */
export interface Proof {
  /** Everything that was committed before this moment, by `performance.now()`. */
  readonly atMs: number;
  /** The same moment by the clock of the primary. */
  readonly at: Date;
  /** The run of the server that shows it: no other one may answer. */
  readonly server: string;
}

/** The standby does not show what it should, or does not answer: read the primary. */
export class StandbyUnusableError extends BaseError {
  readonly code = 'standby_unusable';
  readonly retryable = true;
}

const PAUSE_MS = 500;
/** The same while somebody waits. */
const SHORT_PAUSE_MS = 20;
/** A standby that takes longer is lost, and with it the reads that wait for it. */
const ANSWER_MS = 1_000;

const age = gauge('chainwatch_standby_age_seconds', {
  description: 'Age of what the standby is known to show; since the start where it never was.',
});

/**
 * Knows how old a standby is. Twice a second it asks the primary how far it has written, and the standby how far it has
 * replayed (`findProof`), each over a session of its own.
 */
export class StandbyWatch {
  readonly #options: StandbyOptions;
  readonly #primary: pg.Pool;
  readonly #standby: pg.Pool;
  readonly #startedAtMs = performance.now();
  readonly #stopObserving: () => void;
  readonly #running: Promise<void>;
  readonly #waiting = new Set<(lost: Error) => void>();
  #samples: readonly Sample[] = [];
  #proof: Proof | undefined;
  #provenAtMs = -Infinity;
  /** The same by `Date.now()`. */
  #provenWallMs = -Infinity;
  #reason = 'it was not asked yet';
  #isRead: boolean | undefined;
  #isClosed = false;
  #wake: () => void = () => undefined;
  #checked: Promise<void> = Promise.resolve();

  constructor(options: StandbyOptions) {
    this.#options = options;
    const { url, primaryUrl, applicationName } = options;
    this.#primary = openSession(primaryUrl, applicationName);
    this.#standby = openSession(url, applicationName);
    this.#stopObserving = onScrape(() => age.set(this.#ageMs() / 1_000));
    this.#running = this.#run();
  }

  /** Undefined while the standby must not be read. */
  find(): Proof | undefined {
    const proof = this.#proof;
    return proof !== undefined && this.#ageOf(proof) <= this.#options.stalenessMs ? proof : undefined;
  }

  /** Of a machine that was suspended, one of the two clocks may have stood still. */
  #ageOf({ atMs }: Proof): number {
    return Math.max(performance.now() - atMs, Date.now() - this.#provenWallMs);
  }

  /** @throws StandbyUnusableError */
  require(): Proof {
    const proof = this.find();
    if (proof === undefined) throw new StandbyUnusableError(`the standby is not read: ${this.#describe()}`);
    return proof;
  }

  /** Settles as `work` does. @throws StandbyUnusableError at once when the standby is lost meanwhile */
  async whileThere<T>(work: Promise<T>): Promise<T> {
    let lose: (lost: Error) => void = () => undefined;
    const lost = new Promise<never>((_, reject) => (lose = reject));
    this.#waiting.add(lose);
    try {
      return await Promise.race([work, lost]);
    } finally {
      this.#waiting.delete(lose);
    }
  }

  /** Waits until what is committed now is shown, or cannot be missed any more, or the standby is not read anyway. */
  async untilShown(): Promise<void> {
    const atMs = performance.now();
    const isOver = (): boolean => performance.now() - atMs > this.#options.stalenessMs;
    while (!this.#isClosed && this.find() !== undefined && this.#provenAtMs < atMs && !isOver()) {
      this.#wake();
      await Promise.all([this.#checked, delay(SHORT_PAUSE_MS)]);
    }
  }

  health(): CheckResult {
    return this.find() === undefined ? degraded(`not read: ${this.#describe()}`) : ok;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#running;
    this.#lose('it was closed');
    this.#stopObserving();
    age.forget();
    await Promise.all([this.#primary.end(), this.#standby.end()]);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#checked = this.#check();
      await this.#checked;
      this.#report();
      await this.#rest();
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve();
      const timer = setTimeout(resolve, PAUSE_MS).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #check(): Promise<void> {
    const atMs = performance.now();
    const [primary, standby] = await Promise.allSettled([
      this.#primary.query<Omit<Sample, 'atMs'>>(SAMPLE_PRIMARY),
      this.#standby.query<StandbyState>(SAMPLE_STANDBY),
    ]);
    if (primary.status === 'fulfilled') this.#keep({ atMs, ...primary.value.rows[0]! });
    if (standby.status === 'rejected') return this.#lose(`no answer: ${(standby.reason as Error).message}`);
    const state = standby.value.rows[0]!;
    const finding = findProof(this.#samples, state);
    if (finding.type === 'wrong') return this.#lose(finding.reason);
    if (this.#proof !== undefined && this.#proof.server !== state.server)
      this.#lose('another server answers');
    if (primary.status === 'rejected') this.#reason = 'the primary does not answer';
    else this.#reason = 'it is behind';
    // Never less than what answers have been told before, whichever server showed that.
    if (finding.type !== 'shown' || finding.sample.atMs < this.#provenAtMs) return;
    const { sample } = finding;
    this.#provenAtMs = sample.atMs;
    this.#provenWallMs = Date.now() - (performance.now() - sample.atMs);
    this.#proof = { atMs: sample.atMs, at: sample.at, server: state.server };
  }

  #keep(sample: Sample): void {
    const from = sample.atMs - this.#options.stalenessMs;
    this.#samples = [...this.#samples.filter(({ atMs }) => atMs >= from), sample];
  }

  #lose(reason: string): void {
    this.#reason = reason;
    this.#proof = undefined;
    const lost = new StandbyUnusableError(`the standby was lost: ${reason}`);
    for (const lose of this.#waiting) lose(lost);
  }

  #ageMs(): number {
    return performance.now() - Math.max(this.#provenAtMs, this.#startedAtMs);
  }

  #describe(): string {
    return `${this.#reason} (${(this.#ageMs() / 1_000).toFixed(1)} s)`;
  }

  #report(): void {
    const isRead = this.find() !== undefined;
    if (isRead === this.#isRead || this.#isClosed) return;
    this.#isRead = isRead;
    const { logger } = this.#options;
    if (isRead) logger.info({}, 'began to read lists from the standby of DATABASE_READ_URL');
    else
      logger.warn(
        { reason: this.#describe() },
        'failed to use the standby of DATABASE_READ_URL in place of the primary, will retry',
      );
  }
}

/** One session, which no request waits for. */
function openSession(url: string, applicationName: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: `${applicationName}-standby-watch`,
    max: 1,
    query_timeout: ANSWER_MS,
    connectionTimeoutMillis: ANSWER_MS,
    ...KEEP_ALIVE,
  });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
