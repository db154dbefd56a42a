import { metrics, type ObservableResult } from '@opentelemetry/api';
import type { ChainReport } from './chain-report.ts';

export interface IngestorMetrics {
  repairRecorder(chainGid: string): (repair: { readonly depth: number; readonly isFinalityViolated: boolean }) => void;
  stop(): void;
}

/** Figures of the chains that this replica owns; exported by whatever SDK the process has started. */
export function createIngestorMetrics(readReports: () => readonly ChainReport[]): IngestorMetrics {
  const meter = metrics.getMeter('ingestor');
  const reorgs = meter.createCounter('chainwatch_reorgs_total', { description: 'Reorgs followed.' });
  const depths = meter.createHistogram('chainwatch_reorg_depth_blocks', { description: 'Blocks undone by a reorg.' });
  const violations = meter.createCounter('chainwatch_finality_violations_total', { description: 'Reorgs below finality: an operator alert.' });
  const heads = meter.createObservableGauge('chainwatch_ingestor_head_number', { description: 'Last block in the feed.' });
  const finals = meter.createObservableGauge('chainwatch_ingestor_finalized_number', { description: 'Last final block in the feed.' });
  const stalls = meter.createObservableGauge('chainwatch_chain_stalled_status', { description: '1 while the chain cannot be followed.' });

  const observe = (pick: (report: ChainReport) => number | undefined) => (result: ObservableResult) => {
    for (const report of readReports().filter(({ status }) => status !== 'standby')) {
      const value = pick(report);
      if (value !== undefined) result.observe(value, { chain_gid: report.chainGid });
    }
  };
  const observers = [
    [heads, observe(({ head }) => head?.number)],
    [finals, observe(({ finalized }) => finalized?.number)],
    [stalls, observe(({ status }) => (status === 'stalled' ? 1 : 0))],
  ] as const;
  for (const [gauge, callback] of observers) gauge.addCallback(callback);

  return {
    repairRecorder: (chainGid) => ({ depth, isFinalityViolated }) => {
      reorgs.add(1, { chain_gid: chainGid });
      depths.record(depth, { chain_gid: chainGid });
      if (isFinalityViolated) violations.add(1, { chain_gid: chainGid });
    },
    stop() {
      for (const [gauge, callback] of observers) gauge.removeCallback(callback);
    },
  };
}
