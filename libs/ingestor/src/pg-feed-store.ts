// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from '@chainwatch/data/db';
import type { BlockHeader } from '@chainwatch/chain-core';
import { renewSql, type OwnedShare } from '@chainwatch/data/ownership';
import { StaleStateError } from './errors.ts';
import type { ChainStatus, FeedBatch, FeedEntry, FollowState } from './feed.ts';
import type { FeedStore } from './feed-store.ts';
import { createResetStore } from './pg-reset-store.ts';

interface StateRow {
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
  /** Every write goes through the share, so that writes of a former owner fail. */
  readonly share: OwnedShare;
  /** The head that the node reports; every write stores it along. */
  readonly nodeHeadNumber?: () => number | undefined;
}

export function createPgFeedStore({
  db,
  chainGid,
  share,
  nodeHeadNumber = () => undefined,
}: StoreOptions): FeedStore {
  return {
    load: () => loadState(share, chainGid),
    commit: (batch) => commitBatch(share, { chainGid, batch, nodeHeadNumber: nodeHeadNumber() }),
    announce: (from, to) =>
      share.transaction(async (sql) => {
        await sql.query(
          `INSERT INTO blocks (chain_gid, number, status) SELECT $1, number, 'new' FROM generate_series($2::bigint, $3::bigint) AS number
           ON CONFLICT (chain_gid, number) WHERE status <> 'reorged' DO NOTHING`,
          [chainGid, from, to],
        );
      }),
    setStatus: (status, reason) =>
      writeStatus(share, chainGid, { status, reason, nodeHeadNumber: nodeHeadNumber() }),
    async findCanonicalAtOrBelow(number) {
      const { rows } = await db.query<BlockRow>(`SELECT ${BLOCK_COLUMNS} FROM last_canonical_block($1, $2)`, [
        chainGid,
        number,
      ]);
      return rows.map(toHeader)[0];
    },
    async readCanonical(from, to) {
      const { rows } = await db.query<BlockRow>(`SELECT ${BLOCK_COLUMNS} FROM canonical_blocks($1, $2, $3)`, [
        chainGid,
        from,
        to,
      ]);
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
    ...createResetStore(db, chainGid, share),
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

/** The row is made by the chain's first owner. */
async function loadState(share: OwnedShare, chainGid: string): Promise<FollowState> {
  const row = await share.transaction(async (sql) => {
    await sql.query(
      'INSERT INTO ingestor_states (chain_gid) VALUES ($1) ON CONFLICT (chain_gid) DO NOTHING',
      [chainGid],
    );
    const { rows } = await sql.query<StateRow>(
      `SELECT feed_seq, head_number, head_hash, finalized_number, finalized_hash, start_number
       FROM ingestor_states WHERE chain_gid = $1`,
      [chainGid],
    );
    return rows[0]!;
  });
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
  share: OwnedShare,
  {
    chainGid,
    batch: { entries, next, status, clearFrom, clearTo, skipped = [] },
    nodeHeadNumber,
  }: { readonly chainGid: string; readonly batch: FeedBatch; readonly nodeHeadNumber: number | undefined },
): Promise<void> {
  const feedSeq = next.feedSeq - entries.length;
  const column = <K extends keyof FeedEntry>(key: K) => entries.map((entry) => entry[key] ?? null);
  const { kind, owner, token } = share.claim;
  const statement = {
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
      ...[kind, owner],
    ],
  };
  const write = (sql?: Sql): Promise<readonly { readonly owned: number; readonly fed: number }[]> =>
    share.query(statement, ([row]) => row?.owned === 1, sql);
  const orphans = entries.filter(({ type }) => type === 'reorg').map(({ number }) => number);
  const rows = await (orphans.length === 0
    ? write()
    : share.transaction(async (sql) => {
        // A reorg below finality may reach packed blocks (ADR 22): they become rows, with the heights up to their ancestor.
        const lowest = Math.max(Math.min(clearFrom, ...orphans), 0);
        await sql.query('SELECT unpack_blocks($1, $2, $3)', [chainGid, lowest, Math.max(...orphans)]);
        return write(sql);
      }));
  if (rows[0]?.fed === entries.length) return;
  const state = await loadState(share, chainGid);
  throw new StaleStateError(chainGid, feedSeq, state.feedSeq);
}

/**
 * One batch in one statement, and so in one transaction and one round trip: the head path pays for nothing else.
 *
 * `owner` is the fence: it renews the lease, and returns no row when somebody else owns the chain. `fenced` writes
 * the state, and returns no row either when the stored feed is not where we think; every other part depends on it.
 * The parts of a statement run in no guaranteed order, so each part that needs another's effect counts that one's
 * rows first.
 *
 * Blocks are locked in the order of their ids, as the analyzer does when it updates the same rows: the two cannot
 * deadlock. Orphans are locked before blocks that return; the analyzer never holds both at once, because they stand
 * on two branches.
 *
 * $1 chain, $2 token, $24 kind of the owners, $25 owner, $3 feed_seq before, $4 feed_seq after, $5 head number, $6
 * head hash, $7 finalized number, $8 finalized hash, $9 start number, $10 status (null: keep), $11 clear from, then
 * the entries as arrays: $12 seq, $13 type, $14 number, $15 hash, $16 parent hash, $17 timestamp, $18 resume_seq,
 * $19 traceparent; $20 clear to (null: no bound); the numbers without a block as ranges: $21 from, $22 to; $23 the
 * head that the node reports (null: keep).
 */
const COMMIT_BATCH_SQL = `
WITH owner AS (
  ${renewSql(['$24', '$1', '$25', '$2'])}
), fenced AS (
  UPDATE ingestor_states
  SET feed_seq = $4, head_number = $5, head_hash = $6, finalized_number = $7, finalized_hash = $8, start_number = $9,
      status = coalesce($10, status), reason = CASE WHEN $10::text IS NULL THEN reason END, updated_at = now(),
      node_head_number = coalesce($23, node_head_number)
  WHERE chain_gid = (SELECT share FROM owner) AND feed_seq = $3
  RETURNING chain_gid
), entries AS (
  SELECT e.* FROM fenced,
    unnest($12::bigint[], $13::text[], $14::bigint[], $15::text[], $16::text[], $17::bigint[], $18::bigint[], $19::text[])
      AS e (seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent)
), doomed AS MATERIALIZED (
  SELECT id FROM blocks
  WHERE chain_gid = $1 AND hash = ANY(ARRAY(SELECT hash FROM entries WHERE type = 'reorg'))
  ORDER BY id FOR UPDATE
), orphaned AS (
  UPDATE blocks SET status = 'reorged', updated_at = now() FROM doomed WHERE blocks.id = doomed.id
  RETURNING 1
), cleared AS (
  DELETE FROM blocks
  WHERE chain_gid = $1 AND number >= $11 AND ($20::bigint IS NULL OR number <= $20) AND hash IS NULL AND status <> 'reorged' AND EXISTS (SELECT 1 FROM fenced)
  RETURNING 1
), to_return AS MATERIALIZED (
  SELECT id FROM blocks
  WHERE chain_gid = $1 AND hash = ANY(ARRAY(SELECT hash FROM entries WHERE type = 'block')) AND status = 'reorged'
    AND (SELECT count(*) FROM orphaned) >= 0 AND (SELECT count(*) FROM cleared) >= 0
  ORDER BY id FOR NO KEY UPDATE
), returned AS (
  UPDATE blocks SET status = 'new', updated_at = now() FROM to_return WHERE blocks.id = to_return.id
  RETURNING blocks.hash
), discovered AS (
  INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status)
  SELECT $1, number, hash, parent_hash, to_timestamp(timestamp), 'new' FROM entries
  WHERE type = 'block' AND hash NOT IN (SELECT hash FROM returned) AND (SELECT count(*) FROM cleared) >= 0
    AND (SELECT count(*) FROM orphaned) >= 0
  RETURNING 1
), skipped AS (
  INSERT INTO blocks (chain_gid, number, status)
  SELECT $1, number, 'skipped' FROM fenced, unnest($21::bigint[], $22::bigint[]) AS gap (first, last), generate_series(first, last) AS number
  WHERE (SELECT count(*) FROM cleared) >= 0 AND (SELECT count(*) FROM orphaned) >= 0
  RETURNING 1
), fed AS (
  INSERT INTO chain_feed (chain_gid, seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent)
  SELECT $1, seq, type, number, hash, parent_hash, timestamp, resume_seq, traceparent FROM entries
  RETURNING 1
)
SELECT (SELECT count(*) FROM owner)::int AS owned, (SELECT count(*) FROM fed)::int AS fed, (SELECT count(*) FROM discovered)::int AS discovered`;

interface ShownStatus {
  readonly status: ChainStatus;
  readonly reason: string | undefined;
  readonly nodeHeadNumber: number | undefined;
}

async function writeStatus(
  share: OwnedShare,
  chainGid: string,
  { status, reason, nodeHeadNumber }: ShownStatus,
): Promise<void> {
  await share.transaction(async (sql) => {
    // A chain that cannot even be opened writes its status before anything is loaded.
    await sql.query(
      `INSERT INTO ingestor_states (chain_gid, status, reason, node_head_number) VALUES ($1, $2, $3, $4)
       ON CONFLICT (chain_gid) DO UPDATE SET status = excluded.status, reason = excluded.reason, updated_at = now(),
         node_head_number = coalesce(excluded.node_head_number, ingestor_states.node_head_number)`,
      [chainGid, status, reason ?? null, nodeHeadNumber ?? null],
    );
  });
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
