// SPDX-License-Identifier: Apache-2.0
import { FairQueue, Signal } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { Logger } from '@chainwatch/platform/telemetry';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import {
  findTransactionInBlock,
  PROOF_BYTES_MAX,
  writeLink,
  type TransactionInBlock,
} from './proof-parts.ts';

export interface ProofPreparerDeps {
  readonly db: Sql;
  readonly options: Pick<DeliveryOptions, 'proofTimeoutMs'>;
  /** The API's own address, in front of links. */
  readonly publicUrl?: string | undefined;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
  /** Deliveries of the channel have what they send. */
  readonly onPrepared: (channelId: string) => void;
}

/** A channel whose deliveries have proofs. */
interface ProvedChannel {
  readonly channelId: string;
  readonly workspaceId: string;
  readonly includeProof: 'link' | 'inline';
}

interface Waiting {
  readonly deliveryId: string;
  readonly channelId: string;
  readonly workspaceId: string;
  readonly eventId: string;
  readonly transaction: TransactionInBlock;
  /** A link goes out then. */
  readonly untilMs: number;
  /** Undefined: it does not wait. */
  readonly leave: (() => void) | undefined;
  isRequested: boolean;
}

/** Between two looks for answers. */
const LOOK_MS = 100;
/** Deliveries that wait for a proof, at most; others get a link. A workspace leaves as many to the others as it has. */
const WAITING_MAX = 2_000;
/** Of a chain whose proof did not come in time the workspace gets only links for so long. */
const BREAK_MS = 30_000;

/**
 * Sees to it that deliveries of channels with `include_proof` have their proof on record before they are sent. It is
 * apart from the queues: a delivery whose proof is not there stays in the table, and holds up its own channel alone.
 */
export class ProofPreparer {
  readonly #deps: ProofPreparerDeps;
  readonly #stop = new AbortController();
  readonly #wake = new Signal();
  /** By delivery. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #places = new FairQueue({ atOnce: WAITING_MAX, leavesRoom: true });
  /** Until when, by workspace and chain. */
  readonly #breaks = new Map<string, number>();
  #running: Promise<void> | undefined;

  constructor(deps: ProofPreparerDeps) {
    this.#deps = deps;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Starts on what these jobs lack. @returns ids of the jobs that must not start yet */
  prepare(
    { channelId, workspaceId, includeProof }: ProvedChannel,
    jobs: readonly DeliveryJob[],
  ): ReadonlySet<string> {
    const missing = new Set<string>();
    for (const { id: deliveryId, eventId, payload, isFirst, isTest, hasProof } of jobs) {
      if (!isFirst || isTest || hasProof === true) continue;
      const transaction = findTransactionInBlock(payload);
      if (transaction === undefined) continue;
      missing.add(deliveryId);
      if (this.#waiting.has(deliveryId)) continue;
      const { options, now } = this.#deps;
      const leave =
        includeProof === 'inline' && !this.#isBroken(workspaceId, transaction)
          ? this.#places.tryEnter({ owner: workspaceId })
          : undefined;
      const untilMs = leave === undefined ? -Infinity : now() + options.proofTimeoutMs;
      this.#waiting.set(deliveryId, {
        ...{ deliveryId, channelId, workspaceId, eventId, transaction, untilMs, leave },
        isRequested: leave === undefined,
      });
    }
    if (missing.size > 0) {
      this.#wake.notify();
      this.#running ??= this.#run();
    }
    return missing;
  }

  #isBroken(workspaceId: string, { chainGid }: TransactionInBlock): boolean {
    return (this.#breaks.get(`${workspaceId} ${chainGid}`) ?? -Infinity) > this.#deps.now();
  }

  #break({ workspaceId, transaction: { chainGid } }: Waiting): void {
    const nowMs = this.#deps.now();
    for (const [key, untilMs] of this.#breaks) if (untilMs <= nowMs) this.#breaks.delete(key);
    this.#breaks.set(`${workspaceId} ${chainGid}`, nowMs + BREAK_MS);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#waiting.size > 0) {
      await this.#step().catch((err: unknown) =>
        this.#deps.logger.warn({ err }, 'failed to prepare proofs, will retry'),
      );
      if (this.#waiting.size > 0) await this.#wake.wait(LOOK_MS, signal);
    }
    this.#running = undefined;
  }

  async #step(): Promise<void> {
    const { db, now, logger, onPrepared } = this.#deps;
    const waiting = [...this.#waiting.values()];
    // Nothing waits for requests longer than for their answers.
    const answers = await this.#ask(waiting).catch((err: unknown) => {
      logger.warn({ err }, 'failed to ask for proofs, will retry');
      return new Map<string, null>();
    });
    const settled = waiting.filter(({ eventId, untilMs }) => answers.has(eventId) || untilMs <= now());
    if (settled.length === 0) return;
    await storeProofs(
      db,
      settled.map(({ deliveryId, eventId, transaction }) => ({
        deliveryId,
        proof: this.#choose(answers.get(eventId), transaction),
      })),
    );
    for (const one of settled) {
      this.#waiting.delete(one.deliveryId);
      one.leave?.();
      if (one.leave !== undefined && !answers.has(one.eventId)) this.#break(one);
    }
    for (const channelId of new Set(settled.map((one) => one.channelId))) onPrepared(channelId);
  }

  /** Asks for what was not asked for yet. @returns answers by event */
  async #ask(waiting: readonly Waiting[]): Promise<ReadonlyMap<string, string | null>> {
    const { db } = this.#deps;
    const asked = waiting.filter(({ isRequested }) => !isRequested);
    await requestProofs(
      db,
      asked.map(({ eventId, transaction }) => ({ eventId, ...transaction })),
    );
    for (const one of asked) one.isRequested = true;
    const pending = waiting.filter(({ leave }) => leave !== undefined).map(({ eventId }) => eventId);
    return pending.length === 0 ? new Map<string, null>() : readAnswers(db, pending);
  }

  #choose(proof: string | null | undefined, transaction: TransactionInBlock): string {
    return typeof proof === 'string' && Buffer.byteLength(proof) <= PROOF_BYTES_MAX
      ? proof
      : writeLink(transaction, this.#deps.publicUrl);
  }
}

/** Asks for proofs that nobody has asked for yet, one of an event. */
async function requestProofs(
  db: Sql,
  wanted: readonly (TransactionInBlock & { readonly eventId: string })[],
): Promise<void> {
  if (wanted.length === 0) return;
  await db.query(
    `INSERT INTO proof_requests (event_id, chain_gid, transaction_hash, block_number, block_hash)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[]) ON CONFLICT (event_id) DO NOTHING`,
    [
      wanted.map(({ eventId }) => eventId),
      wanted.map(({ chainGid }) => chainGid),
      wanted.map(({ hash }) => hash),
      wanted.map(({ blockNumber }) => blockNumber),
      wanted.map(({ blockHash }) => blockHash),
    ],
  );
}

/** What was answered of these: by event, JSON; null where no node gave a proof. */
async function readAnswers(
  db: Sql,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await db.query<{ event_id: string; proof: string | null }>(
    'SELECT event_id, proof FROM proof_requests WHERE event_id = ANY($1::uuid[]) AND answered_at IS NOT NULL',
    [eventIds],
  );
  return new Map(rows.map(({ event_id: eventId, proof }) => [eventId, proof]));
}

/** Stores what deliveries send. One that has it already, or that was tried, keeps its bytes. */
async function storeProofs(
  db: Sql,
  proofs: readonly { readonly deliveryId: string; readonly proof: string }[],
): Promise<void> {
  await db.query(
    `UPDATE deliveries d SET proof = u.proof FROM unnest($1::uuid[], $2::text[]) AS u (id, proof)
     WHERE d.id = u.id AND d.proof IS NULL AND d.attempt_count = 0`,
    [proofs.map(({ deliveryId }) => deliveryId), proofs.map(({ proof }) => proof)],
  );
}
