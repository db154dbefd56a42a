import type { MinBlock } from '../chains/chain.ts';
import type { InFlight, Waiter } from './in-flight-request.ts';

/** Questions under way, by the key of their answer. */
export class InFlightRegistry {
  readonly #inFlightRequests = new Map<string, InFlight>();

  /** @returns what was joined; undefined where nobody asks the same, or who does may be told of an older chain or waits for its own */
  join(key: string, minBlock: MinBlock, waiter: Waiter): InFlight | undefined {
    const running = this.#inFlightRequests.get(key);
    if (running === undefined || minBlock.number > running.minBlockNumber || !running.takes(waiter))
      return undefined;
    running.join(waiter);
    return running;
  }

  add(key: string, inFlight: InFlight): void {
    this.#inFlightRequests.set(key, inFlight);
  }

  /** It takes nobody any more. */
  remove(key: string, inFlight: InFlight): void {
    if (this.#inFlightRequests.get(key) === inFlight) this.#inFlightRequests.delete(key);
  }
}
