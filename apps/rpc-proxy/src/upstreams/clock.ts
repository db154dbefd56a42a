// SPDX-License-Identifier: Apache-2.0
const TICK_MS = 10;

/** Called at every tick while it is registered. */
export interface Ticking {
  tick(now: number): void;
  /** Set by the clock, whose own it is. */
  place: number | undefined;
}

/**
 * One coarse clock for every deadline, which saves each call a timer and a look at the time. It ticks only while
 * somebody is registered.
 */
export class Clock {
  readonly #read: () => number;
  #now = 0;
  // Not a `Set`: see `Upstream.inFlight`.
  readonly #listeners: Ticking[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(read: () => number = () => performance.now()) {
    this.#read = read;
  }

  /**
   * Milliseconds, monotonic, at most one tick old. It also advances while nobody is registered, so that nodes' pauses
   * end.
   */
  get now(): number {
    return this.#timer === undefined ? this.#read() : this.#now;
  }

  add(listener: Ticking): void {
    if (this.#timer === undefined) {
      this.#now = this.#read();
      this.#timer = setInterval(() => this.#tick(), TICK_MS);
      this.#timer.unref();
    }
    listener.place = this.#listeners.push(listener) - 1;
  }

  /** Number of registered listeners: the calls in flight. */
  get size(): number {
    return this.#listeners.length;
  }

  remove(listener: Ticking): void {
    const { place } = listener;
    if (place === undefined) return;
    listener.place = undefined;
    const last = this.#listeners.pop()!;
    if (last === listener) return;
    this.#listeners[place] = last;
    last.place = place;
  }

  #tick(): void {
    this.#now = this.#read();
    for (const listener of [...this.#listeners]) if (listener.place !== undefined) listener.tick(this.#now);
    if (this.#listeners.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
