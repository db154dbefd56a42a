import { Wake } from '@chainwatch/chain-core';
import type { Lease, LeaseStore } from '@chainwatch/bus';
import { raiseToken, startBeating, type Database } from '@chainwatch/db';
import { createChainReport, type ChainReport } from './chain-report.ts';
import type { IngestorLog } from './ingestor-log.ts';

/** A chain's owner, for as long as it is that. */
export interface ChainWork {
  readonly token: number;
  /** To be kept current. */
  readonly report: ChainReport;
  readonly signal: AbortSignal;
}

interface SeatOptions {
  readonly chainGid: string;
  readonly db: Database;
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly log: IngestorLog;
  /** Called anew for each run, with the endpoints of then; resolves when the signal aborts, or earlier when another owner took over. */
  readonly runChain: (work: ChainWork) => Promise<'stopped' | 'fenced'>;
}

const RETRY_MS = 1_000;

/** This replica's claim on one chain: stands by while another has the lease, runs the chain while it is ours. */
export class ChainSeat {
  readonly report: ChainReport;
  readonly #options: SeatOptions;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #restart = new AbortController();

  constructor(options: SeatOptions) {
    this.#options = options;
    this.report = createChainReport(options.chainGid);
    this.#done = this.#sit();
  }

  /** Runs the chain anew without giving it up: its endpoints changed. */
  restart(): void {
    this.#restart.abort();
  }

  /** Resolves when nothing is under way and the lease is free. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #sit(): Promise<void> {
    const { leases, chainGid, owner, log } = this.#options;
    const retry = new Wake();
    while (!this.#stop.signal.aborted) {
      let lease: Lease | undefined;
      try {
        lease = await leases.tryAcquire(`ingestor.${chainGid.replaceAll(':', '_')}`, owner);
        if (lease === undefined) Object.assign(this.report, { status: 'standby', reason: undefined });
        else await this.#hold(lease);
      } catch (error) {
        this.#noteTrouble(lease, error);
      } finally {
        await lease
          ?.release()
          .catch((error: unknown) =>
            log.debug({ err: error }, 'the lease could not be released, it ends by itself'),
          );
      }
      await retry.wait(RETRY_MS, this.#stop.signal);
    }
  }

  /** With the lease in hand it is known that nobody follows the chain; without an answer it is not known who does. */
  #noteTrouble(lease: Lease | undefined, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.report.reason !== reason)
      this.#options.log.warn({ err: error }, 'the chain could not be taken over');
    Object.assign(this.report, { status: lease === undefined ? 'unknown' : 'stalled', reason });
  }

  async #hold(lease: Lease): Promise<void> {
    const { db, chainGid, owner, runChain, log } = this.#options;
    const token = await raiseToken(db, 'ingestor_states', chainGid, owner);
    log.info({ token }, 'the chain was taken over');
    const fenced = new AbortController();
    const stopBeating = startBeating({
      db,
      table: 'ingestor_states',
      chainGid,
      token,
      nodeHeadNumber: () => this.report.nodeHeadNumber,
      onFenced: () => fenced.abort(),
    });
    const signal = AbortSignal.any([this.#stop.signal, lease.lost, fenced.signal]);
    try {
      while (!signal.aborted) {
        this.#restart = new AbortController();
        Object.assign(this.report, { status: 'starting', reason: undefined });
        const end = await runChain({
          token,
          report: this.report,
          signal: AbortSignal.any([signal, this.#restart.signal]),
        });
        if (end === 'fenced') fenced.abort();
      }
    } finally {
      stopBeating();
    }
    Object.assign(this.report, { status: 'standby', reason: undefined });
    if (fenced.signal.aborted)
      return log.warn({ token }, 'another replica took the chain over, this one let go');
    log.info(
      { token },
      lease.lost.aborted ? 'the lease was lost, the chain was let go' : 'the chain was let go',
    );
  }
}
