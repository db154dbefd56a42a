/** Gives turns to owners in rotation, a few at a time: who has much to do waits behind each of the others once a turn. */
export class FairTurns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #free: number;

  /** @param atOnce turns under way at the same time */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(owner);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #wait(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(owner);
      if (own === undefined) this.#waiting.set(owner, [resolve]);
      else own.push(resolve);
    });
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) return void (this.#free += 1);
    const [owner, [first, ...others]] = next;
    // Behind the others, if it wants more.
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    first!();
  }
}
