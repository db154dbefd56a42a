// SPDX-License-Identifier: Apache-2.0
import type { FeedBatch } from '../feed.ts';
import type { FeedStore } from '../feed-store.ts';

/** A store whose commits fail on demand, before or after they took effect. */
export class FlakyFeedStore implements FeedStore {
  readonly #store: FeedStore;
  failNext: 'before' | 'after' | undefined;

  constructor(store: FeedStore) {
    this.#store = store;
  }

  async commit(batch: FeedBatch): Promise<void> {
    const failure = this.failNext;
    this.failNext = undefined;
    if (failure === 'before') throw new Error('the database is away');
    await this.#store.commit(batch);
    if (failure === 'after') throw new Error('the connection was lost');
  }

  load: FeedStore['load'] = () => this.#store.load();
  announce: FeedStore['announce'] = (from, to) => this.#store.announce(from, to);
  setStatus: FeedStore['setStatus'] = (status, reason) => this.#store.setStatus(status, reason);
  findCanonicalAtOrBelow: FeedStore['findCanonicalAtOrBelow'] = (number) =>
    this.#store.findCanonicalAtOrBelow(number);
  readCanonical: FeedStore['readCanonical'] = (from, to) => this.#store.readCanonical(from, to);
  readEntries: FeedStore['readEntries'] = (afterSeq, limit) => this.#store.readEntries(afterSeq, limit);
  findReset: FeedStore['findReset'] = () => this.#store.findReset();
  beginReset: FeedStore['beginReset'] = (reset) => this.#store.beginReset(reset);
  finishReset: FeedStore['finishReset'] = (reset) => this.#store.finishReset(reset);
  prune: FeedStore['prune'] = () => this.#store.prune();
}
