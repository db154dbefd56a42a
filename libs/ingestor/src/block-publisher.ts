import type { FeedEntry } from './feed.ts';

/** Publishes feed entries. Never rejects: the feed in the database is the truth. */
export interface BlockPublisher {
  /** Announces an entry that is about to be committed, so that consumers can prepare. */
  hint(entry: FeedEntry): void;
  publish(entries: readonly FeedEntry[]): void;
}
