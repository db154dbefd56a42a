// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import type { Sql } from '@chainwatch/data/db';
import type { PayloadOf } from '@chainwatch/events';
import type { FeedEntry } from '../model/feed-entry.ts';

const QUEUE_MAX = 1_000;

/** What a message tells of an entry. */
type BlockMessage = Omit<PayloadOf<'block.new'>, 'schema' | 'chain_gid'>;

interface FeedRow {
  readonly seq: number;
  readonly type: FeedEntry['type'];
  readonly number: number;
  readonly hash: string;
  readonly parent_hash: string;
  readonly timestamp: number;
  readonly resume_seq: number | null;
  readonly traceparent: string | null;
  readonly created_at: Date;
}

/** The feed does not continue at the cursor. Nothing may be skipped, so this is an error. */
export class FeedGapError extends BaseError {
  readonly code = 'feed_gap';
  readonly retryable = true;
  constructor(expectedSeq: number, gotSeq: number) {
    super(`expected feed entry ${expectedSeq}, got ${gotSeq}: entries between them are missing`);
  }
}

/** Entries after the cursor in order, from the bus as long as there is no gap, otherwise from the table. */
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

  /** Starts again after `cursorSeq`. */
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

  /** Whether the table is known to hold entries that are not here. */
  get needsLoad(): boolean {
    return this.#mayHaveMore && this.#entries.length < QUEUE_MAX / 2;
  }

  /**
   * Takes an entry from a message. Known entries are ignored; one that is not the next makes `load` read the table.
   */
  push(message: BlockMessage, traceparent?: string): void {
    const { seq, type } = message;
    if (seq <= this.#lastSeq) return;
    if (seq !== this.#lastSeq + 1 || type === 'reorg' || this.#entries.length >= QUEUE_MAX) {
      this.#mayHaveMore = true;
      return;
    }
    this.#entries.push(entryOfMessage(message, traceparent));
    this.#lastSeq = seq;
  }

  /** Reads the next entries from the table. @throws FeedGapError */
  async load(): Promise<void> {
    const room = QUEUE_MAX - this.#entries.length;
    if (room <= 0) return;
    const { rows } = await this.#sql.query<FeedRow>({
      name: 'feed_load',
      text: `SELECT seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent, created_at FROM chain_feed
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

function entryOfRow(row: FeedRow): FeedEntry {
  return {
    ...entryOfMessage(row, row.traceparent ?? undefined),
    seenAtMs: row.created_at.getTime(),
    ...(row.resume_seq === null ? {} : { resumeSeq: row.resume_seq }),
  };
}

/** Messages do not carry `resume_seq`: reorg entries are read from the table instead. */
function entryOfMessage(message: BlockMessage, traceparent?: string): FeedEntry {
  const { seq, type, number, hash, timestamp } = message;
  return {
    seq,
    type,
    number,
    hash,
    parentHash: message.parent_hash,
    timestamp,
    traceparent,
    seenAtMs: Date.now(),
  };
}
