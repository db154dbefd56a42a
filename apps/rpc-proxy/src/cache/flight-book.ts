import type { Floor } from '../chains/chain.ts';
import type { Joinable, Waiter } from './flight.ts';

/** Questions under way, by the key of their answer. */
export class FlightBook {
  readonly #flights = new Map<string, Joinable>();

  /** @returns what was joined; undefined where nobody asks the same, or who does may be told of an older chain or waits for its own */
  join(key: string, floor: Floor, waiter: Waiter): Joinable | undefined {
    const running = this.#flights.get(key);
    if (running === undefined || floor.number > running.floorNumber || !running.takes(waiter))
      return undefined;
    running.join(waiter);
    return running;
  }

  add(key: string, flight: Joinable): void {
    this.#flights.set(key, flight);
  }

  /** It takes nobody any more. */
  remove(key: string, flight: Joinable): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
