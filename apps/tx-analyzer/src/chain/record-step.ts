import { counter, gauge, histogram, WAIT_BUCKETS } from '@chainwatch/telemetry';

const blocks = counter('chainwatch_blocks_total', { description: 'Blocks analysed.' });
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
  readonly blocks: number;
  readonly events: number;
  readonly lagBlocks: number;
  readonly seconds: number;
  /** Since the first of its entries was recorded; undefined: it had none. */
  readonly waitSeconds: number | undefined;
}

export function recordStep(chainGid: string, figures: StepFigures): void {
  const attributes = { chain_gid: chainGid };
  blocks.add(figures.blocks, attributes);
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
