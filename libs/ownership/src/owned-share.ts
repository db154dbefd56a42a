import type { Database, Sql, Statement, Transaction, TransactionOptions } from '@chainwatch/db';
import { LEASE_MS, renewStatement, takeStatement, type Claim, type ShareName } from './owners-table.ts';
import { ShareLostError } from './share-lost-error.ts';
import { takeRow } from './take-row.ts';

export interface ShareTransactionOptions extends TransactionOptions {
  /** Sent together with the renewal: `work` gets its rows. */
  readonly opening?: Statement;
}

/** A share that we own, until it is lost or ended. The supervisor renews it while it is idle. */
export class OwnedShare {
  readonly claim: Claim;
  readonly #db: Database;
  readonly #lost = new AbortController();
  #ending: NodeJS.Timeout | undefined;
  #isEnded = false;
  /** When the last renewal that the database stored was sent, on our own monotonic clock. */
  #renewedAtMs: number;
  /** Renewals under way, our transactions among them: an idle renewal behind one of those would wait for its row. */
  #underWay = 0;

  /** `askedAtMs`: performance.now() when the share was asked for. */
  constructor(db: Database, claim: Claim, askedAtMs: number) {
    this.#db = db;
    this.claim = claim;
    this.#renewedAtMs = askedAtMs;
    this.#armEnd();
  }

  get token(): number {
    return this.claim.token;
  }

  /** Aborted when the share is, or may be, somebody else's: 8 s after the last good renewal was sent. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && !this.#lost.signal.aborted;
  }

  /**
   * Every write of an owner goes through it. The first statement proves that the share is ours and renews it; its
   * row stays locked until the end, so that nobody takes the share over meanwhile.
   * @throws ShareLostError, and nothing was written
   */
  async transaction<T>(
    work: (sql: Transaction, opened: readonly unknown[]) => Promise<T>,
    { opening, ...options }: ShareTransactionOptions = {},
  ): Promise<T> {
    const renewal = renewStatement(this.claim);
    return this.#renewWith(() =>
      this.#db.transaction(
        (sql, [renewed, opened]) => {
          if (renewed!.length === 0) throw this.lose('another replica owns the share');
          return work(sql, opened ?? []);
        },
        opening === undefined ? [renewal] : [renewal, opening],
        options,
      ),
    );
  }

  /**
   * Runs a single statement that contains the renewal (`renewSql`) and depends on it; `hasHeld` tells from its rows
   * whether the share was still ours.
   * @throws ShareLostError, and nothing was written
   */
  async query<R extends object>(
    statement: Statement,
    hasHeld: (rows: readonly R[]) => boolean,
    sql: Sql = this.#db,
  ): Promise<readonly R[]> {
    return this.#renewWith(async () => {
      const { rows } = await sql.query<R>(statement);
      if (!hasHeld(rows)) throw this.lose('another replica owns the share');
      return rows;
    });
  }

  /** Records that a renewal sent at `sentAtMs` is stored. */
  noteRenewed(sentAtMs: number): void {
    this.#renewedAtMs = Math.max(this.#renewedAtMs, sentAtMs);
    this.#armEnd();
  }

  /** Marks the share as (possibly) somebody else's. */
  lose(why: string): ShareLostError {
    const error = new ShareLostError(this.claim, why);
    this.end();
    this.#lost.abort(error);
    return error;
  }

  /** Stops the lease timer. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#ending);
  }

  async #renewWith<T>(write: () => Promise<T>): Promise<T> {
    this.#assertOurs();
    const sentAtMs = performance.now();
    this.#underWay += 1;
    try {
      const result = await write();
      this.noteRenewed(sentAtMs);
      return result;
    } finally {
      this.#underWay -= 1;
    }
  }

  #armEnd(): void {
    clearTimeout(this.#ending);
    if (this.#isEnded) return;
    this.#ending = setTimeout(
      () => this.lose('it could not be renewed in time'),
      Math.max(this.#renewedAtMs + LEASE_MS - performance.now(), 0),
    );
  }

  /** A process that was suspended runs again before its timers fire: check the clock. */
  #assertOurs(): void {
    if (performance.now() - this.#renewedAtMs >= LEASE_MS) this.lose('it could not be renewed in time');
    this.#lost.signal.throwIfAborted();
  }
}

/**
 * Takes a share whose lease has ended, even if somebody still holds its row. Undefined: another replica was faster.
 */
export async function takeShare(
  db: Database,
  name: ShareName,
  owner: string,
): Promise<OwnedShare | undefined> {
  const askedAtMs = performance.now();
  const [row] = await takeRow<{ token: number }>(db, takeStatement(name, owner));
  return row && new OwnedShare(db, { ...name, owner, token: row.token }, askedAtMs);
}
