// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import type { FeedEntry } from './feed-entry.ts';

/** Entries of one step: either blocks with the finality that follows them, or orphans. */
export interface Segment {
  readonly entries: readonly FeedEntry[];
  readonly orphans: readonly FeedEntry[];
  readonly blocks: readonly { readonly entry: FeedEntry; readonly block?: Block }[];
  readonly finalize?: FeedEntry;
}
