// SPDX-License-Identifier: Apache-2.0
import type { Verification } from '@chainwatch/chain-core';
import { counter, gauge, histogram, WAIT_BUCKETS } from '@chainwatch/platform/telemetry';

const blocks = counter('chainwatch_blocks_total', {
  description: 'Blocks analysed, by what stands behind their list of transactions.',
});
const events = counter('chainwatch_transaction_events_total', { description: 'Transaction events made.' });
const lag = gauge('chainwatch_analyzer_lag_blocks', {
  description: 'Blocks between the feed and the analyzer.',
});
const duration = histogram('chainwatch_analyzer_step_seconds', {
  description: 'One atomic step, from matching to commit.',
});
const waits = histogram('chainwatch_event_made_seconds', {
  description: 'From when the ingestor recorded a block until its events were committed.',
  buckets: WAIT_BUCKETS,
});

export interface StepFigures {
  /** What stands behind each block; undefined for an orphan without a body. */
  readonly blocks: readonly (Verification | undefined)[];
  readonly events: number;
  readonly lagBlocks: number;
  readonly seconds: number;
  /** Since the first of its entries was recorded; undefined: it had none. */
  readonly waitSeconds: number | undefined;
}

export function recordStep(chainGid: string, figures: StepFigures): void {
  const attributes = { chain_gid: chainGid };
  for (const [verification, count] of countEach(figures.blocks.map((one) => one ?? 'none')))
    blocks.add(count, { ...attributes, verification });
  events.add(figures.events, attributes);
  lag.set(figures.lagBlocks, attributes);
  duration.record(figures.seconds, attributes);
  if (figures.waitSeconds !== undefined && figures.events > 0)
    waits.record(Math.max(0, figures.waitSeconds), attributes);
}

/** The chain's next owner tells them. */
export function forgetLag(chainGid: string): void {
  lag.forget({ chain_gid: chainGid });
}

function countEach(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
