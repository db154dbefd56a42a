import type { Database, Transaction, TransactionOptions } from '../database.ts';
import { LEASE_MS, renewStatement, type ShareName } from './owners-table.ts';
import { ShareLostError } from './share-lost-error.ts';

export interface OwnedShareOptions extends ShareName {
  readonly db: Database;
  readonly owner: string;
  readonly token: number;
  /** performance.now() when the share was asked for. */
  readonly askedAtMs: number;
}

const RENEW_MS = 2_000;

/** A share in our hands. It renews itself until it is lost or ended. */
export class OwnedShare {
  readonly token: number;
  readonly #options: OwnedShareOptions;
  readonly #lost = new AbortController();
  readonly #renewing: NodeJS.Timeout;
  #ending: NodeJS.Timeout | undefined;
  /** When the last renewal that the database stored was sent, by our own monotonic clock. */
  #renewedAtMs: number;
  /** Renewals under way, our transactions among them: an idle renewal behind one of those would wait for its row. */
  #underWay = 0;

  constructor(options: OwnedShareOptions) {
    this.#options = options;
    this.token = options.token;
    this.#renewedAtMs = options.askedAtMs;
    this.#renewing = setInterval(() => void this.#renewIdle(), RENEW_MS);
    this.#armEnd();
  }

  /** Aborted when the share is another's, or may be: 8 s after the last good renewal was sent. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Everything that an owner writes: the first statement proves that the share is ours and renews it, and its row stays
   * locked until the end, so that nobody takes the share over in between.
   * @throws ShareLostError, and nothing was written
   */
  async transaction<T>(work: (sql: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const { db, owner } = this.#options;
    this.#assertOurs();
    const sentAtMs = performance.now();
    this.#underWay += 1;
    try {
      const result = await db.transaction(
        (sql, renewed) => {
          if (renewed.length === 0) throw this.#lose('another replica owns the share');
          return work(sql);
        },
        renewStatement(this.#options, owner, this.token),
        options,
      );
      this.#noteRenewed(sentAtMs);
      return result;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** No more renewals. */
  end(): void {
    clearInterval(this.#renewing);
    clearTimeout(this.#ending);
  }

  async #renewIdle(): Promise<void> {
    if (this.#underWay > 0 || this.#lost.signal.aborted) return;
    // What fails is not known to be lost: the clock decides.
    await this.transaction(async () => undefined).catch(() => undefined);
  }

  #noteRenewed(sentAtMs: number): void {
    this.#renewedAtMs = Math.max(this.#renewedAtMs, sentAtMs);
    this.#armEnd();
  }

  #armEnd(): void {
    clearTimeout(this.#ending);
    if (this.#lost.signal.aborted) return;
    this.#ending = setTimeout(
      () => this.#lose('it could not be renewed in time'),
      Math.max(this.#renewedAtMs + LEASE_MS - performance.now(), 0),
    );
  }

  /** A process that was stopped wakes up before its timers do. */
  #assertOurs(): void {
    if (performance.now() - this.#renewedAtMs >= LEASE_MS) this.#lose('it could not be renewed in time');
    this.#lost.signal.throwIfAborted();
  }

  #lose(why: string): ShareLostError {
    const error = new ShareLostError(this.#options, this.token, why);
    this.end();
    this.#lost.abort(error);
    return error;
  }
}
