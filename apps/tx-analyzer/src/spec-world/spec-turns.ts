// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { PausingDatabase } from './spec-pausing-database.ts';

/** The database of an analyzer, which counts the turns of a loop by the named statement that each begins with. */
export class TurnCounter extends PausingDatabase {
  #turns = 0;

  constructor(statement: string) {
    super((name) => {
      if (name === statement) this.#turns += 1;
      return Promise.resolve();
    });
  }

  /** Until the loop has ended a turn that began after now. */
  async turn(): Promise<void> {
    // One may have begun before, and the last one is not at its end yet.
    const last = this.#turns + 3;
    await waitFor(() => this.#turns >= last, { intervalMs: 5, message: 'the loop to turn' });
  }
}
