import { hasSameEndpoints, type ActiveChain, type ChainFamilyName, Wake } from '@chainwatch/chain-core';
import { readActiveChains, type Database } from '@chainwatch/db';
import type { ChainReport } from './chain-report.ts';
import type { ChainSeat } from './chain-seat.ts';
import type { IngestorLog } from './ingestor-log.ts';

interface SupervisorOptions {
  readonly familyName: ChainFamilyName;
  readonly db: Database;
  readonly log: IngestorLog;
  /** `readRow` gives the chain's row as it is at the time of the call. */
  readonly createSeat: (chainGid: string, readRow: () => ActiveChain) => ChainSeat;
}

interface Seated {
  readonly seat: ChainSeat;
  row: ActiveChain;
}

const READ_MS = 1_000;

/** Gives every active chain of the family a seat, takes it away on deactivation, restarts it when its endpoints change. */
export class ChainSupervisor {
  readonly #options: SupervisorOptions;
  readonly #seats = new Map<string, Seated>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #wake = new Wake();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #lastError: string | undefined = 'the chains were not read yet';

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  /** Reads the chains now: somebody said that they changed. */
  readNow(): void {
    this.#wake.notify();
  }

  get reports(): ChainReport[] {
    return [...this.#seats.values()].map(({ seat }) => seat.report);
  }

  /** Why the chains could not be read the last time; undefined when they could. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await Promise.all([...this.#leaving, ...[...this.#seats.values()].map(({ seat }) => seat.stop())]);
    this.#seats.clear();
  }

  async #run(): Promise<void> {
    const { db, familyName, log } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        this.#reconcile(await readActiveChains(db, familyName));
        this.#lastError = undefined;
      } catch (error) {
        if (this.#lastError === undefined) log.warn({ err: error }, 'the chains could not be read');
        this.#lastError = `the chains could not be read: ${error instanceof Error ? error.message : String(error)}`;
      }
      await this.#wake.wait(READ_MS, this.#stop.signal);
    }
  }

  #reconcile(rows: ReadonlyMap<string, ActiveChain>): void {
    for (const [gid, { seat }] of this.#seats) {
      if (!rows.has(gid)) this.#leave(gid, seat);
    }
    for (const [gid, row] of rows) {
      const seated = this.#seats.get(gid);
      if (seated === undefined) this.#sit(gid, row);
      else this.#renew(seated, row);
    }
  }

  #sit(gid: string, row: ActiveChain): void {
    const read = (): ActiveChain => this.#seats.get(gid)?.row ?? row;
    this.#seats.set(gid, { seat: this.#options.createSeat(gid, read), row });
    this.#options.log.info({ chain_gid: gid }, 'the chain is active, a lease on it was asked for');
  }

  #renew(seated: Seated, row: ActiveChain): void {
    const isChanged = !hasSameEndpoints(seated.row, row);
    seated.row = row;
    if (!isChanged) return;
    this.#options.log.info({ chain_gid: row.gid }, "the chain's endpoints changed, it was restarted");
    seated.seat.restart();
  }

  #leave(gid: string, seat: ChainSeat): void {
    this.#seats.delete(gid);
    this.#options.log.info({ chain_gid: gid }, 'the chain is not active any more');
    const leaving = seat.stop().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
