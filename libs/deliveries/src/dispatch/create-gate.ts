export interface Passage {
  /** Resolves when everybody who came before has left. */
  readonly turn: Promise<void>;
  /** May be called more than once. */
  leave(): void;
}

export interface Gate {
  enter(): Passage;
}

/** Lets work that runs concurrently through one place in the order in which it came. */
export function createGate(): Gate {
  let last = Promise.resolve();
  return {
    enter() {
      const turn = last;
      let leave!: () => void;
      const left = new Promise<void>((resolve) => (leave = resolve));
      // Who leaves out of turn still leaves behind those before.
      last = turn.then(() => left);
      return { turn, leave };
    },
  };
}
