import type { Signal } from '@chainwatch/chain-core';
import { discardExpired } from '../queue/discard-expired.ts';
import { postponeDeliveries } from '../queue/postpone-deliveries.ts';
import { claimBacklogs, findBacklogs } from './claim-backlogs.ts';
import type { ClaimLoopDeps } from './claim-deps.ts';
import { claimDue } from './claim-due.ts';
import { claimHistory } from './claim-history.ts';
import { claimProbes } from './claim-probes.ts';
import { refreshQueues } from './refresh-queues.ts';

const CLEAN_UP_MS = 600_000;

/** Turns rows of the deliveries table into jobs: what is due, what is parked for open channels, probes of failing ones. */
export class ClaimLoop {
  readonly #deps: ClaimLoopDeps;
  readonly #wake: Signal;
  readonly #stop = new AbortController();
  readonly #lastAt = { refresh: 0, extend: 0, cleanUp: 0, backlogs: 0, history: 0 };
  readonly #running: Promise<void>;

  /** @param wake ends the wait before the next step */
  constructor(deps: ClaimLoopDeps, wake: Signal) {
    this.#deps = deps;
    this.#wake = wake;
    this.#lastAt.extend = deps.now();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { options, logger, health } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (await this.#step()) this.#wake.notify();
        health?.succeed();
      } catch (err) {
        health?.fail('due deliveries could not be claimed');
        logger.warn({ err }, 'due deliveries could not be claimed');
      }
      await this.#wake.wait(options.pollMs, signal);
    }
  }

  /** True: there may be more. */
  async #step(): Promise<boolean> {
    const { options } = this.#deps;
    if (this.#isDue('extend', options.visibilityMs / 4)) await this.#extendLeases();
    if (this.#isDue('refresh', options.refreshMs)) await refreshQueues(this.#deps);
    if (this.#isDue('backlogs', options.pollMs * 2)) await findBacklogs(this.#deps);
    if (this.#isDue('cleanUp', CLEAN_UP_MS)) await this.#cleanUp();
    // Ahead of the claims: as due rows they would not hold back what is new.
    await this.#deps.leftovers.park();
    const isMoreDue = await claimDue(this.#deps);
    const isMoreParked = await claimBacklogs(this.#deps);
    await claimProbes(this.#deps);
    const isMoreHistory = await claimHistory(this.#deps, this.#isDue('history', options.pollMs * 2));
    return isMoreDue || isMoreParked || isMoreHistory;
  }

  #isDue(what: 'refresh' | 'extend' | 'cleanUp' | 'backlogs' | 'history', intervalMs: number): boolean {
    const nowMs = this.#deps.now();
    if (nowMs - this.#lastAt[what] < intervalMs) return false;
    this.#lastAt[what] = nowMs;
    return true;
  }

  async #extendLeases(): Promise<void> {
    const { db, jobs, options, now } = this.#deps;
    const atMs = now();
    const ids = jobs.listOld(atMs);
    await postponeDeliveries(db, ids, options.visibilityMs);
    jobs.extend(ids, atMs);
  }

  /** In batches, so that no statement takes long. */
  async #cleanUp(): Promise<void> {
    const { db } = this.#deps;
    while (!this.#stop.signal.aborted && (await discardExpired(db)) > 0);
  }
}
