import { Signal } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { Logger } from '@chainwatch/telemetry';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import {
  findTransactionInBlock,
  PROOF_BYTES_MAX,
  writeLink,
  type TransactionInBlock,
} from './proof-parts.ts';
import { readAnswers, requestProofs, storeProofs } from './proof-table.ts';

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

interface Waiting {
  readonly deliveryId: string;
  readonly channelId: string;
  readonly eventId: string;
  readonly transaction: TransactionInBlock;
  /** A link goes out then. */
  readonly untilMs: number;
  isRequested: boolean;
}

/** Between two looks for answers. */
const LOOK_MS = 100;
/** Deliveries that wait for a proof, at most; others get a link. */
const WAITING_MAX = 2_000;
/** Of a chain whose proof did not come in time only links go out for so long. */
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
    { channelId, includeProof }: { readonly channelId: string; readonly includeProof: 'link' | 'inline' },
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
      const mayWait =
        includeProof === 'inline' && this.#waiting.size < WAITING_MAX && !this.#isBroken(transaction);
      const untilMs = mayWait ? now() + options.proofTimeoutMs : -Infinity;
      this.#waiting.set(deliveryId, {
        ...{ deliveryId, channelId, eventId, transaction, untilMs },
        isRequested: !mayWait,
      });
    }
    if (missing.size > 0) {
      this.#wake.notify();
      this.#running ??= this.#run();
    }
    return missing;
  }

  #isBroken({ chainGid }: TransactionInBlock): boolean {
    return (this.#breaks.get(chainGid) ?? -Infinity) > this.#deps.now();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#waiting.size > 0) {
      await this.#step().catch((err: unknown) =>
        this.#deps.logger.warn({ err }, 'proofs could not be prepared, retrying'),
      );
      if (this.#waiting.size > 0) await this.#wake.wait(LOOK_MS, signal);
    }
    this.#running = undefined;
  }

  async #step(): Promise<void> {
    const { db, now, onPrepared } = this.#deps;
    const waiting = [...this.#waiting.values()];
    const asked = waiting.filter(({ isRequested }) => !isRequested);
    await requestProofs(
      db,
      asked.map(({ eventId, transaction }) => ({ eventId, ...transaction })),
    );
    for (const one of asked) one.isRequested = true;
    const pending = waiting.filter(({ untilMs }) => untilMs !== -Infinity).map(({ eventId }) => eventId);
    const answers = pending.length === 0 ? new Map<string, null>() : await readAnswers(db, pending);
    const settled = waiting.filter(({ eventId, untilMs }) => answers.has(eventId) || untilMs <= now());
    if (settled.length === 0) return;
    await storeProofs(
      db,
      settled.map(({ deliveryId, eventId, transaction }) => ({
        deliveryId,
        proof: this.#choose(answers.get(eventId), transaction),
      })),
    );
    for (const { deliveryId, eventId, transaction, untilMs } of settled) {
      this.#waiting.delete(deliveryId);
      if (untilMs !== -Infinity && !answers.has(eventId))
        this.#breaks.set(transaction.chainGid, now() + BREAK_MS);
    }
    for (const channelId of new Set(settled.map((one) => one.channelId))) onPrepared(channelId);
  }

  #choose(proof: string | null | undefined, transaction: TransactionInBlock): string {
    return typeof proof === 'string' && Buffer.byteLength(proof) <= PROOF_BYTES_MAX
      ? proof
      : writeLink(transaction, this.#deps.publicUrl);
  }
}
