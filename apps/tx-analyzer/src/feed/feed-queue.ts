import { BaseError } from '@chainwatch/problem';
import type { Sql } from '@chainwatch/db';
import { entryOfRow, type FeedEntry, type FeedRow } from '../model/feed-entry.ts';

const QUEUE_MAX = 1_000;

/** The feed does not go on where the cursor stands. Loud: nothing may be skipped. */
export class FeedGapError extends BaseError {
  readonly code = 'feed_gap';
  readonly retryable = true;
  constructor(expectedSeq: number, gotSeq: number) {
    super(`expected feed entry ${expectedSeq}, got ${gotSeq}: entries between them are missing`);
  }
}

/** Entries behind the cursor in order, from the bus while it goes on without a gap, otherwise from the table. */
export class FeedQueue {
  readonly #sql: Sql;
  readonly #chainGid: string;
  #entries: FeedEntry[] = [];
  #lastSeq = 0;
  #mayHaveMore = true;

  constructor(sql: Sql, chainGid: string) {
    this.#sql = sql;
    this.#chainGid = chainGid;
  }

  /** Starts anew behind `cursorSeq`. */
  reset(cursorSeq: number): void {
    this.#entries = [];
    this.#lastSeq = cursorSeq;
    this.#mayHaveMore = true;
  }

  get entries(): readonly FeedEntry[] {
    return this.#entries;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The table holds entries that are not here, as far as is known. */
  get needsLoad(): boolean {
    return this.#mayHaveMore && this.#entries.length < QUEUE_MAX / 2;
  }

  /** Takes an entry that came by message. Ignores what is known; what is not next is loaded from the table. */
  push(entry: FeedEntry): void {
    if (entry.seq <= this.#lastSeq) return;
    if (entry.seq !== this.#lastSeq + 1 || entry.type === 'reorg' || this.#entries.length >= QUEUE_MAX) {
      this.#mayHaveMore = true;
      return;
    }
    this.#entries.push(entry);
    this.#lastSeq = entry.seq;
  }

  /** Reads on from the table. @throws FeedGapError */
  async load(): Promise<void> {
    const room = QUEUE_MAX - this.#entries.length;
    if (room <= 0) return;
    const { rows } = await this.#sql.query<FeedRow>({
      name: 'feed_load',
      text: `SELECT seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent FROM chain_feed
             WHERE chain_gid = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      values: [this.#chainGid, this.#lastSeq, room],
    });
    this.#mayHaveMore = rows.length === room;
    for (const row of rows) {
      // A message may have come while the query ran.
      if (row.seq <= this.#lastSeq) continue;
      if (row.seq !== this.#lastSeq + 1) throw new FeedGapError(this.#lastSeq + 1, row.seq);
      this.#entries.push(entryOfRow(row));
      this.#lastSeq = row.seq;
    }
  }

  /** Removes the first `count` entries: they are done. */
  drop(count: number): void {
    this.#entries = this.#entries.slice(count);
  }
}
