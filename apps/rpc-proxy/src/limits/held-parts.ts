import type { Full, Holder } from './holder.ts';

/** What is held of an answer that is put together of parts, until it is. */
export class HeldParts {
  readonly #holder: Holder;
  #bytes = 0;
  #isOver = false;

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  /** @returns who is full: the part is not held */
  take(part: Buffer): Full | undefined {
    if (this.#isOver) return undefined;
    const full = this.#holder.take(part.length);
    if (full === undefined) this.#bytes += part.length;
    return full;
  }

  /** The answer is put together, or not wanted any more. */
  release(): void {
    this.#holder.release(this.#bytes);
    this.#bytes = 0;
    this.#isOver = true;
  }
}
