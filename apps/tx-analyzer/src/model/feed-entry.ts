// SPDX-License-Identifier: Apache-2.0
/** One entry of the ordered log from the ingestor (table chain_feed). */
export interface FeedEntry {
  readonly seq: number;
  readonly type: 'block' | 'reorg' | 'finalize';
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** On a reorg below finality: the last entry of its repair. */
  readonly resumeSeq?: number;
  readonly traceparent?: string;
  /** When the ingestor recorded it; of one that came as a message: when that came. */
  readonly seenAtMs: number;
}
