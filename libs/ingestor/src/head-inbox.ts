import type { BlockHeader } from '@chainwatch/chain-core';

const HEADS_MAX = 512;

export interface Inbox {
  readonly heads: readonly BlockHeader[];
  readonly errors: readonly unknown[];
}

/** What the chain's loop has to look at. Bounded: when heads pile up, the newest are enough, the rest is fetched. */
export class HeadInbox {
  #heads: BlockHeader[] = [];
  #errors: unknown[] = [];
  #wake: (() => void) | undefined;
  #isNudged = false;

  putHead(head: BlockHeader): void {
    if (this.#heads.length >= HEADS_MAX) this.#heads = this.#heads.slice(-HEADS_MAX / 2);
    this.#heads.push(head);
    this.#wake?.();
  }

  putError(error: unknown): void {
    this.#errors = [error];
    this.#wake?.();
  }

  /** Wakes the loop for something other than a head. */
  notify(): void {
    this.#isNudged = true;
    this.#wake?.();
  }

  /** Resolves at once when something is there, and when `signal` aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isNudged || this.#heads.length > 0 || this.#errors.length > 0) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end);
      this.#wake = end;
    });
    this.#wake = undefined;
  }

  drain(): Inbox {
    const taken = { heads: this.#heads, errors: this.#errors };
    this.#heads = [];
    this.#errors = [];
    this.#isNudged = false;
    return taken;
  }
}
