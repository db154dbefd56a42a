// SPDX-License-Identifier: Apache-2.0
import { describeChain, type Checks } from './health-checks.ts';
import { gauge, onScrape } from './instruments.ts';

/** Tells how the rounds of a worker end. */
export interface WorkerHealth {
  /** Whether the last round failed. */
  readonly isFailing: boolean;
  succeed(): void;
  /** @param reason what may be shown to anybody */
  fail(reason: string): void;
}

/** A worker that fails again and again. */
export interface WorkerStall {
  readonly worker: string;
  readonly chainGid: string | undefined;
  readonly reason: string;
}

interface WorkersOptions {
  /** So long a worker may fail before it counts as stalled, default 15,000: it is said everywhere within 30 s. */
  readonly stalledAfterMs?: number | undefined;
  readonly now?: () => number;
}

const STALLED_AFTER_MS = 15_000;

const stalled = gauge('chainwatch_worker_stalled_status', {
  description: '1 while a worker beside the main loop fails again and again; the reason is in /readyz.',
});

/**
 * The workers of a process, each a loop that goes on after a failure: which of them do nothing but fail. Told in the metric and
 * in /readyz, where it makes no process unready: the other workers go on, and another replica would do no better.
 */
export class Workers {
  readonly #stalledAfterMs: number;
  readonly #now: () => number;
  readonly #workers = new Map<string, Worker>();
  readonly #stop: () => void;

  constructor({ stalledAfterMs = STALLED_AFTER_MS, now = () => performance.now() }: WorkersOptions = {}) {
    this.#stalledAfterMs = stalledAfterMs;
    this.#now = now;
    this.#stop = onScrape(() => this.#record());
  }

  /** The health of a worker from now on; it begins well. */
  of(worker: string, chainGid?: string): WorkerHealth {
    const health = new Worker(worker, chainGid, this.#now);
    this.#workers.set(`${worker} ${chainGid}`, health);
    return health;
  }

  /** The workers of a chain, or one of the process, ended. */
  forget({ worker, chainGid }: { readonly worker?: string; readonly chainGid?: string }): void {
    for (const [key, one] of this.#workers) {
      if (one.chainGid !== chainGid || (worker !== undefined && one.name !== worker)) continue;
      stalled.forget(one.labels);
      this.#workers.delete(key);
    }
  }

  stalls(): readonly WorkerStall[] {
    return [...this.#workers.values()].flatMap((one) => {
      const reason = this.#reasonOf(one);
      return reason === undefined ? [] : [{ worker: one.name, chainGid: one.chainGid, reason }];
    });
  }

  /** For /readyz. */
  checks(): Checks {
    return Object.fromEntries(
      this.stalls().map(({ worker, chainGid, reason }) => [
        ['worker', worker, ...(chainGid === undefined ? [] : [chainGid])].join(' '),
        describeChain({ status: 'stalled', reason }),
      ]),
    );
  }

  stop(): void {
    this.#stop();
    for (const { labels } of this.#workers.values()) stalled.forget(labels);
    this.#workers.clear();
  }

  #record(): void {
    for (const one of this.#workers.values())
      stalled.set(this.#reasonOf(one) === undefined ? 0 : 1, one.labels);
  }

  #reasonOf({ failing }: Worker): string | undefined {
    if (failing === undefined || this.#now() - failing.sinceMs < this.#stalledAfterMs) return undefined;
    return failing.reason;
  }
}

class Worker implements WorkerHealth {
  readonly name: string;
  readonly chainGid: string | undefined;
  readonly #now: () => number;
  failing: { readonly sinceMs: number; readonly reason: string } | undefined;

  constructor(name: string, chainGid: string | undefined, now: () => number) {
    this.name = name;
    this.chainGid = chainGid;
    this.#now = now;
  }

  get labels(): { worker: string; chain_gid?: string } {
    return { worker: this.name, ...(this.chainGid === undefined ? {} : { chain_gid: this.chainGid }) };
  }

  get isFailing(): boolean {
    return this.failing !== undefined;
  }

  succeed(): void {
    this.failing = undefined;
  }

  fail(reason: string): void {
    this.failing = { sinceMs: this.failing?.sinceMs ?? this.#now(), reason };
  }
}
