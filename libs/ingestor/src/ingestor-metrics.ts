import { counter, createStallRecorder, gauge, histogram } from '@chainwatch/telemetry';
import type { ChainReport } from './chain-report.ts';

const reorgs = counter('chainwatch_reorgs_total', { description: 'Reorgs followed.' });
const depths = histogram('chainwatch_reorg_depth_blocks', {
  description: 'Blocks undone by a reorg.',
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024],
});
const violations = counter('chainwatch_finality_violations_total', {
  description: 'Reorgs below finality: an operator alert.',
});
const heads = gauge('chainwatch_ingestor_head_number', { description: 'Last block in the feed.' });
const finals = gauge('chainwatch_ingestor_finalized_number', {
  description: 'Last final block in the feed.',
});
const recordStalls = createStallRecorder();

export function recordRepair(
  chainGid: string,
  repair: { readonly depth: number; readonly isFinalityViolated: boolean },
): void {
  reorgs.add(1, { chain_gid: chainGid });
  depths.record(repair.depth, { chain_gid: chainGid });
  if (repair.isFinalityViolated) violations.add(1, { chain_gid: chainGid });
}

/** The figures of the chains that this replica owns. */
export function recordReports(reports: readonly ChainReport[]): void {
  for (const { chainGid, status, head, finalized } of reports) {
    if (status === 'standby' || status === 'unknown') continue;
    if (head !== undefined) heads.set(head.number, { chain_gid: chainGid });
    if (finalized !== undefined) finals.set(finalized.number, { chain_gid: chainGid });
  }
  recordStalls(
    new Map(reports.map(({ chainGid, status }) => [chainGid, status === 'stalled' || status === 'unknown'])),
  );
}
