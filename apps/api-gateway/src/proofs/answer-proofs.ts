// SPDX-License-Identifier: Apache-2.0
import { ProblemError } from '@chainwatch/common/problem';
import type { Logger } from '@chainwatch/platform/telemetry';
import { readProofs, type ProofDeps, type Proofs } from './read-proofs.ts';
import type { BlockRef } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';

interface AnswerOptions extends ProofDeps {
  readonly logger: Pick<Logger, 'warn'>;
  /** Between two looks while nothing is asked. Default 250. */
  readonly pauseMs?: number;
}

/** Blocks, of one replica. */
const UNDER_WAY_MAX = 16;
/** Between two looks while there is work: more of a chain may have its turn. */
const BUSY_MS = 100;
/** After a fault of the database. */
const RETRY_MS = 1_000;
/** Deliveries go out with a link sooner. */
const READ_MS = 8_000;
/** Proofs of one statement: one may have hundreds of kilobytes. */
const STORED_AT_ONCE = 50;

/**
 * Answers what deliveries ask for (`proof_requests`). Any number of replicas may: each request is one's, for as long as it
 * may take. A chain whose nodes do not answer holds up no other, and no workspace another one.
 * @returns stop
 */
export function answerProofs({ pauseMs = 250, ...deps }: AnswerOptions): () => Promise<void> {
  const { db, logger } = deps;
  const stop = new AbortController();
  const underWay = new Map<Promise<void>, WantedBlock>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  const answer = async (wanted: WantedBlock): Promise<void> => {
    const proofs = await findProofs(wanted, deps, stop.signal);
    await storeAnswers(deps, wanted, proofs).catch((err: unknown) =>
      logger.warn({ err }, 'failed to store proofs'),
    );
  };
  const look = async (): Promise<void> => {
    const blocks = await takeRequests(db, {
      underWay: [...underWay.values()],
      limit: UNDER_WAY_MAX - underWay.size,
      takenMs: 2 * READ_MS,
    });
    for (const wanted of blocks) {
      const work = answer(wanted).finally(() => underWay.delete(work));
      underWay.set(work, wanted);
    }
  };
  const schedule = (afterMs: number): void => {
    if (stop.signal.aborted) return;
    timer = setTimeout(() => {
      looking = look()
        .then(
          () => (underWay.size > 0 ? Math.min(BUSY_MS, pauseMs) : pauseMs),
          (err: unknown) => {
            logger.warn({ err }, 'failed to read proof requests');
            return RETRY_MS;
          },
        )
        .then(schedule);
    }, afterMs).unref();
  };
  schedule(pauseMs);
  return async () => {
    stop.abort();
    clearTimeout(timer);
    await looking;
    await Promise.all(underWay.keys());
  };
}

/** None where the chain has no node, or nobody waits any longer. */
async function findProofs(
  { requests, ...wanted }: WantedBlock,
  { logger, ...deps }: AnswerOptions,
  stopped: AbortSignal,
): Promise<Proofs> {
  const late = new AbortController();
  const abort = (): void => late.abort();
  const timer = setTimeout(abort, READ_MS);
  stopped.addEventListener('abort', abort);
  try {
    const hashes = [...new Set(requests.map(({ hash }) => hash))];
    return await readProofs({ ...wanted, hashes, signal: late.signal }, deps);
  } catch (err) {
    if (!(err instanceof ProblemError) && !late.signal.aborted)
      logger.warn({ err, chain_gid: wanted.chainGid }, 'failed to build proofs');
    return new Map();
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', abort);
  }
}

/** Null where no node gave a proof. */
async function storeAnswers({ db }: ProofDeps, { requests }: WantedBlock, proofs: Proofs): Promise<void> {
  for (let at = 0; at < requests.length; at += STORED_AT_ONCE) {
    const some = requests.slice(at, at + STORED_AT_ONCE);
    await db.query(
      `UPDATE proof_requests r SET proof = u.proof, answered_at = clock_timestamp()
       FROM unnest($1::uuid[], $2::text[]) AS u (event_id, proof) WHERE r.event_id = u.event_id`,
      [some.map(({ eventId }) => eventId), some.map(({ hash }) => toJson(proofs.get(hash)))],
    );
  }
}

function toJson(proof: ReturnType<Proofs['get']>): string | null {
  return proof === undefined || proof instanceof ProblemError ? null : JSON.stringify(proof);
}

/** A block of which proofs are asked for. */
interface WantedBlock {
  readonly chainGid: string;
  /** The workspace whose turn it is; null: the event is gone. */
  readonly workspaceId: string | null;
  readonly block: BlockRef;
  readonly requests: readonly { readonly eventId: string; readonly hash: string }[];
}

interface TakeOptions {
  /** What this replica works at. */
  readonly underWay: readonly WantedBlock[];
  /** Blocks. */
  readonly limit: number;
  /** Others may take them again then. */
  readonly takenMs: number;
}

interface Row {
  readonly event_id: string;
  readonly chain_gid: string;
  readonly transaction_hash: string;
  readonly block_number: string;
  readonly block_hash: string;
  readonly workspace_id: string | null;
}

/** Blocks of a chain that one replica reads at once, and those that it reads for one workspace. */
const PER_CHAIN = 4;
const PER_WORKSPACE = 3;
/** Deliveries go out with a link sooner. */
const AGE_MAX = '10 s';

const IS_OPEN = `r.answered_at IS NULL AND r.requested_at > clock_timestamp() - interval '${AGE_MAX}'
  AND (r.taken_until IS NULL OR r.taken_until < clock_timestamp())`;
/** Row by row (OFFSET 0): the planner counts every day of events for each row, not the one that it is in. */
const WORKSPACE = `LEFT JOIN LATERAL (
  SELECT p.workspace_id FROM event_keys k JOIN event_log e ON e.id = k.row_id JOIN projects p ON p.id = e.project_id
  WHERE k.event_id = r.event_id OFFSET 0) w ON true`;

/**
 * Takes what is asked of blocks that nobody works at, and that somebody still waits for. Workspaces take turns on each chain,
 * whatever each of them asks for: a block counts for the workspace whose turn comes first, and is read for all of them.
 */
async function takeRequests(
  db: Sql,
  { underWay, limit, takenMs }: TakeOptions,
): Promise<readonly WantedBlock[]> {
  if (limit <= 0) return [];
  const { rows } = await db.query<Row>(
    `WITH busy AS (SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[]) AS b (chain_gid, workspace_id, block_hash)),
     open AS (
       SELECT r.chain_gid, r.block_hash, w.workspace_id, min(r.requested_at) AS since FROM proof_requests r ${WORKSPACE}
       WHERE ${IS_OPEN} AND NOT EXISTS (SELECT FROM busy b WHERE b.chain_gid = r.chain_gid AND b.block_hash = r.block_hash)
       GROUP BY 1, 2, 3),
     turns AS (
       SELECT *, row_number() OVER (PARTITION BY chain_gid, workspace_id ORDER BY since, block_hash) + (
         SELECT count(*) FROM busy b WHERE b.chain_gid = o.chain_gid AND b.workspace_id IS NOT DISTINCT FROM o.workspace_id) AS turn
       FROM open o),
     blocks AS (SELECT DISTINCT ON (chain_gid, block_hash) * FROM turns ORDER BY chain_gid, block_hash, turn, since),
     places AS (
       SELECT *, row_number() OVER (PARTITION BY chain_gid ORDER BY turn, since, block_hash) + (
         SELECT count(*) FROM busy b WHERE b.chain_gid = o.chain_gid) AS place
       FROM blocks o),
     chosen AS (
       SELECT * FROM places WHERE place <= ${PER_CHAIN} AND turn <= ${PER_WORKSPACE} ORDER BY turn, since LIMIT $4),
     taken AS (
       SELECT r.event_id, c.workspace_id FROM proof_requests r JOIN chosen c USING (chain_gid, block_hash) WHERE ${IS_OPEN}
       FOR UPDATE OF r SKIP LOCKED)
     UPDATE proof_requests r SET taken_until = clock_timestamp() + $5 * interval '1 ms' FROM taken t WHERE r.event_id = t.event_id
     RETURNING r.event_id, r.chain_gid, r.transaction_hash, r.block_number, r.block_hash, t.workspace_id`,
    [
      underWay.map(({ chainGid }) => chainGid),
      underWay.map(({ workspaceId }) => workspaceId),
      underWay.map(({ block }) => block.hash),
      limit,
      takenMs,
    ],
  );
  return groupByBlock(rows);
}

function groupByBlock(rows: readonly Row[]): readonly WantedBlock[] {
  const blocks = new Map<string, WantedBlock & { readonly requests: { eventId: string; hash: string }[] }>();
  for (const row of rows) {
    const key = `${row.chain_gid} ${row.block_hash}`;
    let wanted = blocks.get(key);
    if (wanted === undefined) {
      const block = { number: Number(row.block_number), hash: row.block_hash };
      wanted = { chainGid: row.chain_gid, workspaceId: row.workspace_id, block, requests: [] };
      blocks.set(key, wanted);
    }
    wanted.requests.push({ eventId: row.event_id, hash: row.transaction_hash });
  }
  return [...blocks.values()];
}
