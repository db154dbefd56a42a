import type { DeliveryJob } from '../delivery-job.ts';

interface LeasedJob {
  readonly job: DeliveryJob;
  /** When its row was last put out of the reach of others. */
  leasedAtMs: number;
}

/** Jobs that are queued or under way: how much memory they take, and how long their rows are ours. */
export class JobsInMemory {
  readonly #visibilityMs: number;
  readonly #jobs = new Map<string, LeasedJob>();
  #bytes = 0;
  /** What is here was still ours for half of the visibility then. */
  #extendedAtMs: number;

  constructor(visibilityMs: number, nowMs: number) {
    this.#visibilityMs = visibilityMs;
    this.#extendedAtMs = nowMs;
  }

  get count(): number {
    return this.#jobs.size;
  }

  /** Of the payloads. */
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

  /** Those that have half of their time left at most: what is sent and recorded in time is not written once more. */
  listOld(nowMs: number): string[] {
    return [...this.#jobs.values()]
      .filter(({ leasedAtMs }) => nowMs - leasedAtMs > this.#visibilityMs / 2)
      .map(({ job }) => job.id);
  }

  /** The rows of all that `listOld` gave were put out of reach again, as of then. */
  extend(ids: readonly string[], atMs: number): void {
    for (const id of ids) {
      const leased = this.#jobs.get(id);
      if (leased !== undefined) leased.leasedAtMs = atMs;
    }
    this.#extendedAtMs = atMs;
  }

  /** After a standstill of this process, or of the database: others may have some of what is here. */
  mayHaveExpired(nowMs: number): boolean {
    return nowMs - this.#extendedAtMs >= this.#visibilityMs / 2;
  }

  isExpired(job: DeliveryJob, nowMs: number): boolean {
    return nowMs - (this.#jobs.get(job.id)?.leasedAtMs ?? 0) >= this.#visibilityMs;
  }
}
