import { withSpan } from '@chainwatch/telemetry';
import type { Segment } from '../model/segment.ts';

/**
 * At the head the step is a span in the block's trace. In a group there is no such span: each event keeps its
 * block's trace.
 */
export async function stepInTrace(
  chainGid: string,
  segment: Segment,
  step: (segment: Segment) => Promise<void>,
): Promise<void> {
  const [first, second] = segment.blocks;
  const traceparent = first?.entry.traceparent;
  if (first === undefined || second !== undefined || traceparent === undefined) return step(segment);
  const attributes = { chain_gid: chainGid, height: first.entry.number };
  await withSpan('analyse block', { traceparent, kind: 'consumer', attributes }, (span) =>
    step({ ...segment, blocks: [{ ...first, entry: { ...first.entry, traceparent: span.traceparent } }] }),
  );
}
