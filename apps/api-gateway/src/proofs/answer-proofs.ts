// SPDX-License-Identifier: Apache-2.0
import { ProblemError } from '@chainwatch/problem';
import type { Logger } from '@chainwatch/telemetry';
import { readProofs, type ProofDeps, type Proofs } from './read-proofs.ts';
import { takeRequests, type WantedBlock } from './take-requests.ts';

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
