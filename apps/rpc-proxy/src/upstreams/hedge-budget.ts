/** Five of every hundred reads may be hedged; a few at once when a node falls silent. */
const SHARE = 0.05;
const BURST = 10;

export class HedgeBudget {
  #tokens = BURST;

  earn(): void {
    if (this.#tokens < BURST) this.#tokens += SHARE;
  }

  get hasOne(): boolean {
    return this.#tokens >= 1;
  }

  take(): void {
    this.#tokens -= 1;
  }
}
