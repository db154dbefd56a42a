// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql, Statement, Transaction, TransactionOptions } from '../db/index.ts';
import { BaseError } from '@chainwatch/common/problem';
import { takeRow } from './take-row.ts';

/** A lease lasts this long, that of a share and that of a process, counted by the database from clock_timestamp(), and by its owner from when it asked. */
const LEASE_MS = 8_000;
export const LEASE = `clock_timestamp() + interval '${LEASE_MS} ms'`;

export interface ShareName {
  /** `ingestor.evm`, `analyzer`, `balances`: chains by gid; `channels`: parts of the channels; `positions`: of the projects; `retention`, `backlogs`: one share. */
  readonly kind: string;
  readonly share: string;
}

/** One ownership of a share: a new token each time. */
export interface Claim extends ShareName {
  readonly owner: string;
  readonly token: number;
}

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
  /** The same by the clock of the day, which goes on while a machine is suspended. */
  #renewedAtDate: number;
  /** Renewals under way, our transactions among them: an idle renewal behind one of those would wait for its row. */
  #underWay = 0;

  /** `askedAtMs`: performance.now() when the share was asked for. */
  constructor(db: Database, claim: Claim, askedAtMs: number) {
    this.#db = db;
    this.claim = claim;
    this.#renewedAtMs = askedAtMs;
    this.#renewedAtDate = dateOf(askedAtMs);
    this.#armEnd();
  }

  get token(): number {
    return this.claim.token;
  }

  /** Aborted when the share is, or may be, somebody else's: 8 s after the last good renewal was sent. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** False as well when the lease has ended in a standstill and the timer that tells of it has not fired yet. */
  get isOurs(): boolean {
    const ageMs = Math.max(performance.now() - this.#renewedAtMs, Date.now() - this.#renewedAtDate);
    return !this.#lost.signal.aborted && ageMs < LEASE_MS;
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
    if (sentAtMs > this.#renewedAtMs) [this.#renewedAtMs, this.#renewedAtDate] = [sentAtMs, dateOf(sentAtMs)];
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
      () => this.lose('lease not renewed in time'),
      Math.max(this.#renewedAtMs + LEASE_MS - performance.now(), 0),
    );
  }

  /** A process that was suspended runs again before its timers fire: check the clock. */
  #assertOurs(): void {
    if (performance.now() - this.#renewedAtMs >= LEASE_MS) this.lose('lease not renewed in time');
    this.#lost.signal.throwIfAborted();
  }
}

function dateOf(monotonicMs: number): number {
  return Date.now() - (performance.now() - monotonicMs);
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

/** The share is, or may be, somebody else's: nothing was written. Stop working on it. */
export class ShareLostError extends BaseError {
  readonly code = 'fenced';
  readonly retryable = false;
  constructor({ kind, share, token }: Claim, why: string) {
    super(`token ${token} of ${kind} ${share} is no good any more: ${why}`);
  }
}

// The statements over the row of a share.

/**
 * Returns the new token; no row while somebody else's lease lasts: that on the share, or that of its process. The latter is
 * locked, so that a renewal which is under way counts.
 */
function takeStatement({ kind, share }: ShareName, owner: string): Statement {
  return {
    text: `WITH ended AS MATERIALIZED (
             SELECT b.owner FROM owners o JOIN owner_beats b ON b.kind = o.kind AND b.owner = o.owner
             WHERE o.kind = $1 AND o.share = $2 AND b.lease_until < clock_timestamp() FOR UPDATE OF b)
           INSERT INTO owners (kind, share, owner, token, lease_until) VALUES ($1, $2, $3, 1, ${LEASE})
           ON CONFLICT (kind, share) DO UPDATE SET owner = $3, token = owners.token + 1, lease_until = ${LEASE}
           WHERE owners.owner = $3 OR owners.lease_until < clock_timestamp() AND (owners.owner IN (SELECT owner FROM ended)
             OR NOT EXISTS (SELECT FROM owner_beats b WHERE b.kind = $1 AND b.owner = owners.owner AND b.lease_until IS NOT NULL))
           RETURNING token`,
    values: [kind, share, owner],
  };
}

/** Fence and renewal in one: returns no row when somebody else owns the share. */
export function renewStatement({ kind, share, owner, token }: Claim): Statement {
  return {
    name: 'renew_owner_lease',
    text: renewSql(['$1', '$2', '$3', '$4']),
    values: [kind, share, owner, token],
  };
}

/** The same as part of another statement, which depends on its row: `share`. */
export function renewSql([kind, share, owner, token]: readonly [string, string, string, string]): string {
  return `UPDATE owners SET lease_until = ${LEASE} WHERE kind = ${kind} AND share = ${share} AND owner = ${owner} AND token = ${token} RETURNING share`;
}

/**
 * Renews all idle shares one by one, which replicas of the former release look at. A locked row is in use, by its owner or by
 * a taker: it is skipped.
 */
export async function renewIdle(
  sql: Sql,
  {
    kind,
    owner,
    claims,
  }: { readonly kind: string; readonly owner: string; readonly claims: readonly Claim[] },
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ share: string }>({
    name: 'renew_idle_leases',
    text: `WITH mine AS MATERIALIZED (
             SELECT o.share FROM owners o JOIN unnest($3::text[], $4::bigint[]) AS c (share, token) ON o.share = c.share AND o.token = c.token
             WHERE o.kind = $1 AND o.owner = $2 FOR UPDATE OF o SKIP LOCKED)
           UPDATE owners SET lease_until = ${LEASE} FROM mine WHERE owners.kind = $1 AND owners.share = mine.share RETURNING owners.share`,
    values: [kind, owner, claims.map(({ share }) => share), claims.map(({ token }) => token)],
  });
  return new Set(rows.map(({ share }) => share));
}

/** Owner of what is given back. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Gives the share back now, so that nobody has to wait for the end of a lease. */
export async function releaseLease(sql: Sql, { kind, share, owner, token }: Claim): Promise<void> {
  await sql.query(
    'UPDATE owners SET owner = $5, lease_until = clock_timestamp() WHERE kind = $1 AND share = $2 AND owner = $3 AND token = $4',
    [kind, share, owner, token, NOBODY],
  );
}
