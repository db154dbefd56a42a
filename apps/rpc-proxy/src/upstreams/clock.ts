const TICK_MS = 10;

/** Called at every tick while it is registered. */
export interface Ticking {
  tick(now: number): void;
}

/**
 * One coarse clock for every deadline, which saves each call a timer and a look at the time. It ticks only while
 * somebody is registered.
 */
export class Clock {
  readonly #read: () => number;
  #now = 0;
  readonly #listeners = new Set<Ticking>();
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
    this.#listeners.add(listener);
  }

  /** Number of registered listeners: the calls in flight. */
  get size(): number {
    return this.#listeners.size;
  }

  remove(listener: Ticking): void {
    this.#listeners.delete(listener);
  }

  #tick(): void {
    this.#now = this.#read();
    for (const listener of this.#listeners) listener.tick(this.#now);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
