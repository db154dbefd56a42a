export interface Ticket {
  /** Resolves when everybody who came before has released. */
  readonly turn: Promise<void>;
  /** May be called more than once. */
  release(): void;
}

/**
 * Lets concurrent work pass one place in the order in which it came. The ticket is drawn before the work
 * begins, and its turn is awaited in the middle of it; a mutex or p-limit would hold up all of the work.
 */
export class TicketLock {
  #last = Promise.resolve();

  takeTicket(): Ticket {
    const turn = this.#last;
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    // A release out of turn still counts only after those before it.
    this.#last = turn.then(() => released);
    return { turn, release };
  }
}
