import type { FeedEntry } from './feed.ts';

/** Tells the world about entries that are committed. Never rejects: the feed in the database is the truth. */
export interface BlockPublisher {
  publish(entries: readonly FeedEntry[]): void;
}
