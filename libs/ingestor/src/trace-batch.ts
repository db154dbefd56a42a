import { isSpanContextValid, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import type { FeedBatch, FeedEntry } from './feed.ts';

type Commit = (batch: FeedBatch) => Promise<void>;

/**
 * A span per block entry: it begins the trace that goes on in the analyzer and ends at the webhook. Its context travels
 * in chain_feed.traceparent and in the message's headers (W3C Trace Context).
 */
export function traceBatch(chainGid: string): (batch: FeedBatch, commit: Commit) => Promise<void> {
  const tracer = trace.getTracer('ingestor');
  return async (batch, commit) => {
    const spans: Span[] = [];
    const entries = batch.entries.map((entry) => {
      if (entry.type === 'finalize') return entry;
      const attributes = { chain_gid: chainGid, 'block.number': entry.number, 'block.hash': entry.hash, 'feed.seq': entry.seq };
      const span = tracer.startSpan(`block.${entry.type === 'block' ? 'ingest' : 'orphan'}`, { attributes, root: true });
      spans.push(span);
      return withContext(entry, span);
    });
    try {
      await commit({ ...batch, entries });
    } catch (error) {
      for (const span of spans) span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      for (const span of spans) span.end();
    }
  };
}

function withContext(entry: FeedEntry, span: Span): FeedEntry {
  const { traceId, spanId, traceFlags } = span.spanContext();
  // Without an SDK there is no trace to continue.
  if (!isSpanContextValid(span.spanContext())) return entry;
  return { ...entry, traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
}
