export interface Ticket {
  /** Resolves when everybody who came before has released. */
  readonly turn: Promise<void>;
  /** May be called more than once. */
  release(): void;
}

/**
 * Lets work that runs concurrently through one place in the order in which it came. The place in the line is taken before
 * the work begins, and waited for in the middle of it; a mutex or p-limit would hold up all of the work.
 */
export class TicketLock {
  #last = Promise.resolve();

  takeTicket(): Ticket {
    const turn = this.#last;
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    // Who releases out of turn still goes behind those before.
    this.#last = turn.then(() => released);
    return { turn, release };
  }
}
