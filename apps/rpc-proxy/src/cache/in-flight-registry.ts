import type { MinBlock } from '../chains/chain.ts';
import type { InFlight, Waiter } from './in-flight-request.ts';

/** Requests in flight, by cache key. */
export class InFlightRegistry {
  readonly #inFlightRequests = new Map<string, InFlight>();

  /**
   * @returns the request that was joined. Undefined if nobody asks the same, if the request in flight may return an
   * older chain than this key has seen, or if it waits in another key's queue.
   */
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

  /** No call can join it from now on. */
  remove(key: string, inFlight: InFlight): void {
    if (this.#inFlightRequests.get(key) === inFlight) this.#inFlightRequests.delete(key);
  }
}
