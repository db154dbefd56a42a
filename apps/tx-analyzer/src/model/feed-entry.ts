import type { PayloadOf } from '@chainwatch/events';

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

export interface FeedRow {
  readonly seq: number;
  readonly type: FeedEntry['type'];
  readonly number: number;
  readonly hash: string;
  readonly parent_hash: string;
  readonly timestamp: number;
  readonly resume_seq: number | null;
  readonly traceparent: string | null;
  readonly created_at: Date;
}

export function entryOfRow(row: FeedRow): FeedEntry {
  return {
    ...entryOfMessage(row, row.traceparent ?? undefined),
    seenAtMs: row.created_at.getTime(),
    ...(row.resume_seq === null ? {} : { resumeSeq: row.resume_seq }),
  };
}

/** Messages do not carry `resume_seq`: reorg entries are read from the table instead. */
export function entryOfMessage(
  message: Omit<PayloadOf<'block.new'>, 'schema' | 'chain_gid'>,
  traceparent?: string,
): FeedEntry {
  const { seq, type, number, hash, timestamp } = message;
  return {
    seq,
    type,
    number,
    hash,
    parentHash: message.parent_hash,
    timestamp,
    traceparent,
    seenAtMs: Date.now(),
  };
}
