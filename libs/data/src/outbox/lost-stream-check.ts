// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Bus } from '../bus/index.ts';
import type { Database, Sql } from '../db/index.ts';
import type { FlowService } from '@chainwatch/events';

/**
 * Events younger than this when the stream was last seen may not have reached every subscriber before it was lost.
 */
const REPUBLISH_MS = 600_000;
/** Rows of table events read at once, newest first. */
const REPUBLISH_ROWS = 5_000;

interface Known {
  readonly incarnation: string;
  readonly last_seq: number;
  readonly seen_at: Date;
}

interface CheckStreamDeps {
  readonly db: Database;
  readonly bus: Pick<Bus<FlowService>, 'readStream'>;
  readonly stream: string;
  /** Subjects of the outbox in this stream. */
  readonly subjects: readonly string[];
}

interface LostStreamDeps extends CheckStreamDeps {
  readonly logger: Pick<Logger, 'warn'>;
}

/** Looks whether the server lost the stream: at the start, and each time it may have. */
export class LostStreamCheck {
  readonly #deps: LostStreamDeps;
  #isDone = false;

  constructor(deps: LostStreamDeps) {
    this.#deps = deps;
  }

  expectLoss(): void {
    this.#isDone = false;
  }

  async run(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      const { stream, logger } = this.#deps;
      if (await checkStream(this.#deps))
        logger.warn({ stream }, 'the stream was lost: recent events were published again');
    } catch (error) {
      this.#isDone = false;
      throw error;
    }
  }
}

/**
 * Compares the stream with what the database knows of it. If the server lost the stream or its last messages, the
 * events of that time become unpublished again. One replica does this for all: each relays those of its chains.
 * Returns true if it was done here.
 */
async function checkStream({ db, bus, stream, subjects }: CheckStreamDeps): Promise<boolean> {
  const known = await findKnown(db, stream);
  // Read after the row: the bus had stored what the row says by then.
  const { incarnation, lastSeq } = await bus.readStream(stream);
  if (known === undefined) {
    await db.query(
      'INSERT INTO stream_incarnations (stream, incarnation, last_seq) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [stream, incarnation, lastSeq],
    );
    return false;
  }
  if (known.incarnation === incarnation && known.last_seq <= lastSeq) return false;
  return db.transaction(async (sql) => {
    const locked = await findKnown(sql, stream, 'FOR UPDATE');
    const isDone = locked?.incarnation !== known.incarnation || locked.last_seq < known.last_seq;
    if (isDone) return false;
    await sql.query(
      'UPDATE stream_incarnations SET incarnation = $2, last_seq = $3, seen_at = clock_timestamp() WHERE stream = $1',
      [stream, incarnation, lastSeq],
    );
    await unpublish(sql, subjects, new Date(locked.seen_at.getTime() - REPUBLISH_MS));
    return true;
  });
}

async function findKnown(sql: Sql, stream: string, lock = ''): Promise<Known | undefined> {
  const { rows } = await sql.query<Known>(
    `SELECT incarnation, last_seq, seen_at FROM stream_incarnations WHERE stream = $1 ${lock}`,
    [stream],
  );
  return rows[0];
}

/** Ids grow with time: pages are read from the newest row down, until they are too old. */
async function unpublish(sql: Sql, subjects: readonly string[], since: Date): Promise<void> {
  let beforeId = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const { rows } = await sql.query<{ first_id: number | null; is_recent: boolean | null }>(
      `WITH page AS MATERIALIZED (SELECT id, subject_kind, created_at > $3 AS is_recent FROM event_log WHERE id < $2 ORDER BY id DESC LIMIT ${REPUBLISH_ROWS}),
       again AS (INSERT INTO unpublished_events SELECT id, subject_kind FROM page WHERE is_recent AND subject_kind = ANY($1) ON CONFLICT DO NOTHING)
       SELECT min(id) AS first_id, bool_or(is_recent) AS is_recent FROM page`,
      [subjects, beforeId, since],
    );
    const { first_id, is_recent } = rows[0]!;
    if (first_id === null || is_recent !== true) return;
    beforeId = first_id;
  }
}
