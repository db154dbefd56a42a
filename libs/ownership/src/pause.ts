/** A pause that ends by time, by `wake` or by its signal, whichever comes first. */
export class Pause {
  #wake: (() => void) | undefined;
  #isWoken = false;

  /** Ends the pause under way, or the next one at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  async wait(delayMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isWoken && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, delayMs);
        signal.addEventListener('abort', end);
        this.#wake = end;
      });
    }
    this.#wake = undefined;
    this.#isWoken = false;
  }
}
