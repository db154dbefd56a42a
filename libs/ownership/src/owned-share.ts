import type { Database, Sql, Statement, Transaction, TransactionOptions } from '@chainwatch/db';
import { LEASE_MS, renewStatement, takeStatement, type Claim, type ShareName } from './owners-table.ts';
import { ShareLostError } from './share-lost-error.ts';
import { takeRow } from './take-row.ts';

export interface ShareTransactionOptions extends TransactionOptions {
  /** Sent with the renewal: `work` gets its rows. */
  readonly opening?: Statement;
}

/** A share in our hands, until it is lost or ended. The supervisor renews it while it does nothing. */
export class OwnedShare {
  readonly claim: Claim;
  readonly #db: Database;
  readonly #lost = new AbortController();
  #ending: NodeJS.Timeout | undefined;
  #isEnded = false;
  /** When the last renewal that the database stored was sent, by our own monotonic clock. */
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

  /** Aborted when the share is another's, or may be: 8 s after the last good renewal was sent. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && !this.#lost.signal.aborted;
  }

  /**
   * Everything that an owner writes: the first statement proves that the share is ours and renews it, and its row stays
   * locked until the end, so that nobody takes the share over in between.
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
   * A single statement that renews by itself (`renewSql`) and hangs on that; `hasHeld` says from its rows whether it did.
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

  /** A renewal that was sent at `sentAtMs` is stored. */
  noteRenewed(sentAtMs: number): void {
    this.#renewedAtMs = Math.max(this.#renewedAtMs, sentAtMs);
    this.#armEnd();
  }

  /** It is another's, or may be. */
  lose(why: string): ShareLostError {
    const error = new ShareLostError(this.claim, why);
    this.end();
    this.#lost.abort(error);
    return error;
  }

  /** No more clock. */
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

  /** A process that was stopped wakes up before its timers do. */
  #assertOurs(): void {
    if (performance.now() - this.#renewedAtMs >= LEASE_MS) this.lose('it could not be renewed in time');
    this.#lost.signal.throwIfAborted();
  }
}

/** Takes a share whose lease is over: whoever still holds the row has no right to it. Undefined: somebody was faster. */
export async function takeShare(
  db: Database,
  name: ShareName,
  owner: string,
): Promise<OwnedShare | undefined> {
  const askedAtMs = performance.now();
  const [row] = await takeRow<{ token: number }>(db, takeStatement(name, owner));
  return row && new OwnedShare(db, { ...name, owner, token: row.token }, askedAtMs);
}
