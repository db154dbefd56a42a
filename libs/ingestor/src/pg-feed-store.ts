import { FencedError, lockWithToken, type Database } from '@chainwatch/db';
import type { BlockHeader } from '@chainwatch/chain-core';
import { COMMIT_BATCH_SQL } from './commit-batch-sql.ts';
import { StaleStateError } from './errors.ts';
import type { ChainStatus, FeedBatch, FeedEntry, FollowState } from './feed.ts';
import type { FeedStore } from './feed-store.ts';
import { createResetStore } from './pg-reset-store.ts';

interface StateRow {
  readonly token: number;
  readonly feed_seq: number;
  readonly head_number: number | null;
  readonly head_hash: string | null;
  readonly finalized_number: number | null;
  readonly finalized_hash: string | null;
  readonly start_number: number | null;
}

interface BlockRow {
  readonly number: number;
  readonly hash: string;
  readonly parent_hash: string;
  readonly timestamp: number;
}

interface EntryRow extends BlockRow {
  readonly seq: number;
  readonly type: FeedEntry['type'];
  readonly resume_seq: number | null;
  readonly traceparent: string | null;
}

const BLOCK_COLUMNS = 'number, hash, parent_hash, extract(epoch FROM block_timestamp)::bigint AS timestamp';
/** Feed entries kept behind the analyzer's cursor, for whoever looks back. */
const KEPT_ENTRIES = 10_000;
/** One pruning deletes at most that many, so that it never holds the table for long. */
const PRUNED_MAX = 20_000;

interface StoreOptions {
  readonly db: Database;
  readonly chainGid: string;
  readonly token: number;
  /** What the node says its head is, written with whatever is written. */
  readonly nodeHeadNumber?: () => number | undefined;
}

export function createPgFeedStore({
  db,
  chainGid,
  token,
  nodeHeadNumber = () => undefined,
}: StoreOptions): FeedStore {
  return {
    load: () => loadState(db, chainGid, token),
    commit: (batch) => commitBatch(db, chainGid, token, batch, nodeHeadNumber()),
    announce: (from, to) =>
      db.transaction(async (sql) => {
        await lockWithToken(sql, 'ingestor_states', chainGid, token);
        await sql.query(
          `INSERT INTO blocks (chain_gid, number, status) SELECT $1, number, 'new' FROM generate_series($2::bigint, $3::bigint) AS number
           ON CONFLICT (chain_gid, number) WHERE status <> 'reorged' DO NOTHING`,
          [chainGid, from, to],
        );
      }),
    setStatus: (status, reason) =>
      writeStatus(db, chainGid, token, { status, reason, nodeHeadNumber: nodeHeadNumber() }),
    async findCanonicalAtOrBelow(number) {
      const { rows } = await db.query<BlockRow>(
        `SELECT ${BLOCK_COLUMNS} FROM blocks WHERE chain_gid = $1 AND number <= $2 AND status <> 'reorged' AND hash IS NOT NULL
         ORDER BY number DESC LIMIT 1`,
        [chainGid, number],
      );
      return rows.map(toHeader)[0];
    },
    async readCanonical(from, to) {
      const { rows } = await db.query<BlockRow>(
        `SELECT ${BLOCK_COLUMNS} FROM blocks
         WHERE chain_gid = $1 AND number BETWEEN $2 AND $3 AND status <> 'reorged' AND hash IS NOT NULL ORDER BY number`,
        [chainGid, from, to],
      );
      return rows.map(toHeader);
    },
    async readEntries(afterSeq, limit) {
      const { rows } = await db.query<EntryRow>(
        `SELECT seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent FROM chain_feed
         WHERE chain_gid = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [chainGid, afterSeq, limit],
      );
      return rows.map(toFeedEntry);
    },
    ...createResetStore(db, chainGid, token),
    async prune() {
      const { rowCount } = await db.query(
        `DELETE FROM chain_feed WHERE chain_gid = $1 AND seq IN (
           SELECT seq FROM chain_feed WHERE chain_gid = $1 AND seq < (SELECT cursor_seq - $2::bigint FROM analyzer_states WHERE chain_gid = $1)
           ORDER BY seq LIMIT $3)`,
        [chainGid, KEPT_ENTRIES, PRUNED_MAX],
      );
      return rowCount ?? 0;
    },
  };
}

async function loadState(db: Database, chainGid: string, token: number): Promise<FollowState> {
  const { rows } = await db.query<StateRow>(
    `SELECT token, feed_seq, head_number, head_hash, finalized_number, finalized_hash, start_number
     FROM ingestor_states WHERE chain_gid = $1`,
    [chainGid],
  );
  const row = rows[0];
  if (row === undefined || row.token !== token) throw new FencedError('ingestor_states', chainGid, token);
  return {
    feedSeq: row.feed_seq,
    ...(row.head_number !== null &&
      row.head_hash !== null && { head: { number: row.head_number, hash: row.head_hash } }),
    ...(row.finalized_number !== null &&
      row.finalized_hash !== null && {
        finalized: { number: row.finalized_number, hash: row.finalized_hash },
      }),
    ...(row.start_number !== null && { startNumber: row.start_number }),
  };
}

async function commitBatch(
  db: Database,
  chainGid: string,
  token: number,
  { entries, next, status, clearFrom, clearTo, skipped = [] }: FeedBatch,
  nodeHeadNumber: number | undefined,
): Promise<void> {
  const feedSeq = next.feedSeq - entries.length;
  const column = <K extends keyof FeedEntry>(key: K) => entries.map((entry) => entry[key] ?? null);
  const { rows } = await db.query<{ fed: number }>({
    // Named: parsed and planned once per connection.
    name: 'ingestor-commit-batch',
    text: COMMIT_BATCH_SQL,
    values: [
      ...[chainGid, token, feedSeq, next.feedSeq, next.head?.number ?? null, next.head?.hash ?? null],
      ...[
        next.finalized?.number ?? null,
        next.finalized?.hash ?? null,
        next.startNumber ?? null,
        status ?? null,
        clearFrom,
      ],
      ...[
        column('seq'),
        column('type'),
        column('number'),
        column('hash'),
        column('parentHash'),
        column('timestamp'),
      ],
      ...[column('resumeSeq'), column('traceparent'), clearTo ?? null],
      ...[skipped.map(({ from }) => from), skipped.map(({ to }) => to), nodeHeadNumber ?? null],
    ],
  });
  if (rows[0]?.fed === entries.length) return;
  const state = await loadState(db, chainGid, token);
  throw new StaleStateError(chainGid, feedSeq, state.feedSeq);
}

interface ShownStatus {
  readonly status: ChainStatus;
  readonly reason: string | undefined;
  readonly nodeHeadNumber: number | undefined;
}

async function writeStatus(
  db: Database,
  chainGid: string,
  token: number,
  { status, reason, nodeHeadNumber }: ShownStatus,
): Promise<void> {
  const { rowCount } = await db.query(
    'UPDATE ingestor_states SET status = $3, reason = $4, updated_at = now(), node_head_number = coalesce($5, node_head_number) WHERE chain_gid = $1 AND token = $2',
    [chainGid, token, status, reason ?? null, nodeHeadNumber ?? null],
  );
  if (rowCount !== 1) throw new FencedError('ingestor_states', chainGid, token);
}

function toHeader(row: BlockRow): BlockHeader {
  return { number: row.number, hash: row.hash, parentHash: row.parent_hash, timestamp: row.timestamp };
}

function toFeedEntry(row: EntryRow): FeedEntry {
  return {
    ...toHeader(row),
    seq: row.seq,
    type: row.type,
    ...(row.resume_seq !== null && { resumeSeq: row.resume_seq }),
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
  };
}
