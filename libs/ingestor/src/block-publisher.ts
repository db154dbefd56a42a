import type { FeedEntry } from './feed.ts';

/** Tells the world about entries. Never rejects: the feed in the database is the truth. */
export interface BlockPublisher {
  /** An entry that is about to be committed, to whoever wants to get ready. */
  hint(entry: FeedEntry): void;
  publish(entries: readonly FeedEntry[]): void;
}
