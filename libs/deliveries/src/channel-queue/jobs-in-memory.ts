import type { DeliveryJob } from '../delivery-job.ts';

interface LeasedJob {
  readonly job: DeliveryJob;
  /** When the lease on its row was last extended; other replicas do not claim it meanwhile. */
  leasedAtMs: number;
}

/** Jobs that are queued or under way: how much memory they take, and how long their rows stay leased to this replica. */
export class JobsInMemory {
  readonly #visibilityMs: number;
  readonly #jobs = new Map<string, LeasedJob>();
  #bytes = 0;

  constructor(visibilityMs: number) {
    this.#visibilityMs = visibilityMs;
  }

  get count(): number {
    return this.#jobs.size;
  }

  /** Bytes of the payloads. */
  get bytes(): number {
    return this.#bytes;
  }

  has(id: string): boolean {
    return this.#jobs.has(id);
  }

  add(job: DeliveryJob, nowMs: number): void {
    this.#jobs.set(job.id, { job, leasedAtMs: nowMs });
    this.#bytes += job.payload.length;
  }

  forget(job: DeliveryJob): void {
    if (this.#jobs.delete(job.id)) this.#bytes -= job.payload.length;
  }

  /**
   * Ids of jobs with at most half of their lease left. A job that is sent and recorded before that costs no
   * extra write.
   */
  listOld(nowMs: number): string[] {
    return [...this.#jobs.values()]
      .filter(({ leasedAtMs }) => nowMs - leasedAtMs > this.#visibilityMs / 2)
      .map(({ job }) => job.id);
  }

  /** The leases of all ids that `listOld` gave were extended, as of `atMs`. */
  extend(ids: readonly string[], atMs: number): void {
    for (const id of ids) {
      const leased = this.#jobs.get(id);
      if (leased !== undefined) leased.leasedAtMs = atMs;
    }
  }
}
