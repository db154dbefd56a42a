/** Lets a loop sleep until somebody has news for it or the time is up. News that come while it works count for the next sleep. */
export class Wake {
  #resolve: (() => void) | undefined;
  #isDue = false;

  notify = (): void => {
    this.#isDue = true;
    this.#resolve?.();
  };

  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isDue) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        timer = setTimeout(resolve, timeoutMs);
      });
      clearTimeout(timer);
      this.#resolve = undefined;
    }
    this.#isDue = false;
  }
}
