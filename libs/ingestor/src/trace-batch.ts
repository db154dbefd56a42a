import { withSpan } from '@chainwatch/telemetry';
import type { FeedBatch, FeedEntry } from './feed.ts';

const SPAN_NAMES = { block: 'block.ingest', reorg: 'block.orphan', finalize: 'block.finalize' } as const;

type Commit = (batch: FeedBatch) => Promise<void>;

/**
 * A span per entry: it begins the trace that continues in the analyzer and ends at the webhook. Its context travels
 * in chain_feed.traceparent and in the message's headers (W3C Trace Context). At the head the span lasts as long as
 * the commit. In a catch-up one commit holds many blocks, and each gets a span that only marks its beginning.
 */
export function traceBatch(chainGid: string): (batch: FeedBatch, commit: Commit) => Promise<void> {
  return async (batch, commit) => {
    const [entry, ...others] = batch.entries;
    if (entry !== undefined && others.length === 0 && entry.type === 'block') {
      return withSpan(SPAN_NAMES.block, { attributes: attributesOf(chainGid, entry) }, ({ traceparent }) =>
        commit({ ...batch, entries: [{ ...entry, traceparent }] }),
      );
    }
    await commit({
      ...batch,
      entries: await Promise.all(batch.entries.map((each) => markEntry(chainGid, each))),
    });
  };
}

async function markEntry(chainGid: string, entry: FeedEntry): Promise<FeedEntry> {
  return withSpan(
    SPAN_NAMES[entry.type],
    { attributes: attributesOf(chainGid, entry) },
    ({ traceparent }) => ({ ...entry, traceparent }),
  );
}

function attributesOf(chainGid: string, { number, hash, seq }: FeedEntry): Record<string, string | number> {
  return { chain_gid: chainGid, 'block.number': number, 'block.hash': hash, 'feed.seq': seq };
}
