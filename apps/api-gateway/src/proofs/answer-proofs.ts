import { ProblemError } from '@chainwatch/problem';
import type { Sql } from '@chainwatch/db';
import type { Logger } from '@chainwatch/telemetry';
import { readProof, type ProofDeps } from './read-proof.ts';

interface AnswerOptions extends ProofDeps {
  readonly db: Sql;
  readonly logger: Pick<Logger, 'warn'>;
  /** Between two looks while nothing is asked. Default 250. */
  readonly pauseMs?: number;
}

interface Request {
  readonly event_id: string;
  readonly chain_gid: string;
  readonly transaction_hash: string;
  readonly block_number: string;
  readonly block_hash: string;
}

/** Of one replica: a node reads, and we hash, a whole block for each. */
const PER_CHAIN = 4;
const UNDER_WAY_MAX = 16;
/** After a fault of the database. */
const RETRY_MS = 1_000;
/** Deliveries go out with a link sooner. */
const READ_MS = 8_000;

/**
 * Answers what deliveries ask for (`proof_requests`). Any number of replicas may: each request is one's, for as long as it
 * may take. A chain whose nodes do not answer holds up no other.
 * @returns stop
 */
export function answerProofs({ pauseMs = 250, ...deps }: AnswerOptions): () => Promise<void> {
  const { db, logger } = deps;
  const stop = new AbortController();
  const underWay = new Map<Promise<void>, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  const answer = async (request: Request): Promise<void> => {
    const proof = await findProof(request, deps, stop.signal).catch((err: unknown) => {
      if (!(err instanceof ProblemError))
        logger.warn({ err, chain_gid: request.chain_gid }, 'failed to build a proof');
      return null;
    });
    await db
      .query('UPDATE proof_requests SET proof = $2, answered_at = clock_timestamp() WHERE event_id = $1', [
        request.event_id,
        proof,
      ])
      .catch((err: unknown) => logger.warn({ err }, 'failed to store a proof'));
  };
  const look = async (): Promise<void> => {
    const busy = new Map<string, number>();
    for (const gid of underWay.values()) busy.set(gid, (busy.get(gid) ?? 0) + 1);
    const requests = await takeRequests(db, busy, UNDER_WAY_MAX - underWay.size);
    for (const request of requests) {
      const work = answer(request).finally(() => {
        underWay.delete(work);
        // More of its chain may wait.
        schedule(0);
      });
      underWay.set(work, request.chain_gid);
    }
  };
  const schedule = (afterMs: number): void => {
    if (stop.signal.aborted || looking !== undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      let nextMs = pauseMs;
      looking = look()
        .catch((err: unknown) => {
          nextMs = RETRY_MS;
          logger.warn({ err }, 'requests of proofs could not be read');
        })
        .finally(() => {
          looking = undefined;
          schedule(nextMs);
        });
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

/** JSON. @throws ProblemError where no node gives it */
async function findProof(request: Request, deps: ProofDeps, stopped: AbortSignal): Promise<string> {
  const {
    chain_gid: chainGid,
    transaction_hash: hash,
    block_number: number,
    block_hash: blockHash,
  } = request;
  const late = new AbortController();
  const abort = (): void => late.abort();
  const timer = setTimeout(abort, READ_MS);
  stopped.addEventListener('abort', abort);
  try {
    const block = { number: Number(number), hash: blockHash };
    return JSON.stringify(await readProof({ chainGid, hash, block, signal: late.signal }, deps));
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', abort);
  }
}

/**
 * The oldest requests that nobody works at and somebody still waits for, of each chain as many as it has room for.
 * @param busy what is under way, by chain
 */
async function takeRequests(
  db: Sql,
  busy: ReadonlyMap<string, number>,
  limit: number,
): Promise<readonly Request[]> {
  if (limit <= 0) return [];
  const { rows } = await db.query<Request>(
    `UPDATE proof_requests SET taken_until = clock_timestamp() + $4 * interval '1 ms' WHERE event_id IN (
       SELECT event_id FROM (
         SELECT event_id, requested_at, row_number() OVER (PARTITION BY chain_gid ORDER BY requested_at, event_id)
             + coalesce((SELECT b.count FROM unnest($1::text[], $2::int[]) AS b (gid, count) WHERE b.gid = chain_gid), 0) AS place
         FROM proof_requests
         WHERE answered_at IS NULL AND requested_at > clock_timestamp() - interval '10 s' AND (taken_until IS NULL OR taken_until < clock_timestamp())) open
       WHERE place <= ${PER_CHAIN} ORDER BY requested_at LIMIT $3)
     AND answered_at IS NULL AND (taken_until IS NULL OR taken_until < clock_timestamp())
     RETURNING event_id, chain_gid, transaction_hash, block_number, block_hash`,
    [[...busy.keys()], [...busy.values()], limit, 2 * READ_MS],
  );
  return rows;
}
