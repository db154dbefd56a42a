import type { Database } from '@chainwatch/db';
import type { BlockHeader, EndpointHealth } from '@chainwatch/chain-core';
import { toNodeReport } from './node-report.ts';
import type { OwnedShare } from '@chainwatch/ownership';
import { COMMIT_BATCH_SQL } from './commit-batch-sql.ts';
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
  /** The nodes that the chain is read from. */
  readonly listNodes?: () => readonly EndpointHealth[];
}

export function createPgFeedStore({
  db,
  chainGid,
  share,
  nodeHeadNumber = () => undefined,
}: StoreOptions): FeedStore {
  return {
    load: () => loadState(share, chainGid),
    commit: (batch) => commitBatch(share, chainGid, batch, nodeHeadNumber()),
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
  chainGid: string,
  { entries, next, status, clearFrom, clearTo, skipped = [] }: FeedBatch,
  nodeHeadNumber: number | undefined,
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
  const rows = await share.query<{ owned: number; fed: number }>(statement, ([row]) => row?.owned === 1);
  if (rows[0]?.fed === entries.length) return;
  const state = await loadState(share, chainGid);
  throw new StaleStateError(chainGid, feedSeq, state.feedSeq);
}

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

const BEAT_MS = 10_000;

/**
 * Writes every 10 s to the chain's row that it has an owner, the node's head, and how its nodes are. A row older than 30 s has no
 * owner, whatever its status says. A failed write does no harm: the row gets old, as it should. Returns a function
 * that stops it.
 */
export function startBeating({
  share,
  chainGid,
  nodeHeadNumber = () => undefined,
  listNodes = () => [],
}: Omit<StoreOptions, 'db'>): () => void {
  const beat = (): Promise<unknown> =>
    share.transaction((sql) =>
      sql.query(
        `UPDATE ingestor_states SET updated_at = now(), node_head_number = coalesce($2, node_head_number), nodes = $3, nodes_at = now()
         WHERE chain_gid = $1`,
        [chainGid, nodeHeadNumber() ?? null, JSON.stringify(listNodes().map(toNodeReport))],
      ),
    );
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_MS);
  return () => clearInterval(timer);
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
