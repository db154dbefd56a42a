// SPDX-License-Identifier: Apache-2.0
/** Rounds of a batch, of which the mean counts: the collector works in some of them for all. */
const ROUNDS = 15;
/** A service runs for days: the first batches are the compiler's. */
const WARM_UP = 3;

/** Times of one piece of work, in batches; medians of them, in milliseconds a round. */
export class BatchTimes {
  readonly #wall: number[] = [];
  readonly #cpu: number[] = [];

  async add(work: () => Promise<unknown>): Promise<void> {
    const [started, before] = [performance.now(), process.cpuUsage()];
    for (let round = 0; round < ROUNDS; round += 1) await work();
    const { user, system } = process.cpuUsage(before);
    this.#wall.push((performance.now() - started) / ROUNDS);
    this.#cpu.push((user + system) / 1_000 / ROUNDS);
  }

  get wallMs(): number {
    return median(this.#wall.slice(WARM_UP));
  }

  /** Of all threads. */
  get cpuMs(): number {
    return median(this.#cpu.slice(WARM_UP));
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
