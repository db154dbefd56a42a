// SPDX-License-Identifier: Apache-2.0
import { counter, createStallRecorder, gauge, histogram, recordOwned } from '@chainwatch/platform/telemetry';
import type { ChainReport } from './chain-report.ts';

const reorgs = counter('chainwatch_reorgs_total', { description: 'Reorgs followed.' });
const depths = histogram('chainwatch_reorg_depth_blocks', {
  description: 'Blocks undone by a reorg.',
  buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024],
});
const violations = counter('chainwatch_finality_violations_total', {
  description: 'Reorgs below finality: an operator alert.',
});
const recordHeads = recordOwned(
  gauge('chainwatch_ingestor_head_number', { description: 'Last block in the feed.' }),
);
const recordFinals = recordOwned(
  gauge('chainwatch_ingestor_finalized_number', { description: 'Last final block in the feed.' }),
);
const recordBlockTimes = recordOwned(
  gauge('chainwatch_chain_block_time_seconds', {
    description: 'Time between two blocks, as measured, until then as configured; absent for local chains.',
  }),
);
const recordConfiguredTimes = recordOwned(
  gauge('chainwatch_chain_block_time_configured_seconds', {
    description: 'Time between two blocks that this release expects; absent for local chains.',
  }),
);
const recordHeadAges = recordOwned(
  gauge('chainwatch_chain_head_age_seconds', {
    description: "Age of the node's newest block by the block's own time.",
  }),
);
const recordPauses = recordOwned(
  gauge('chainwatch_chain_head_pause_seconds', {
    description: "Time since a new block came from the chain's nodes.",
  }),
);
const recordUnknownUpgrades = recordOwned(
  gauge('chainwatch_unknown_upgrades', {
    description:
      "Upgrades that the chain's nodes tell and the calendar does not; absent if no node can tell.",
  }),
);
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
export function recordReports(reports: readonly ChainReport[], nowMs = Date.now()): void {
  const owned = reports.filter(({ status }) => status !== 'standby' && status !== 'unknown');
  const pick = (read: (report: ChainReport) => number | undefined): Map<string, number> =>
    new Map(
      owned.flatMap((report) => {
        const value = read(report);
        return value === undefined ? [] : [[report.chainGid, value] as const];
      }),
    );
  const secondsSince = (timeMs: number | undefined): number | undefined =>
    timeMs === undefined ? undefined : Math.max(nowMs - timeMs, 0) / 1_000;
  recordHeads(pick(({ head }) => head?.number));
  recordFinals(pick(({ finalized }) => finalized?.number));
  recordBlockTimes(pick(({ blockTime }) => blockTime && blockTime.ms / 1_000));
  recordConfiguredTimes(pick(({ blockTime }) => blockTime && blockTime.configuredMs / 1_000));
  recordHeadAges(pick(({ newestHead }) => secondsSince(newestHead?.timestampMs)));
  recordPauses(pick(({ newestHead }) => secondsSince(newestHead?.seenAtMs)));
  recordUnknownUpgrades(pick(({ newUpgrades }) => newUpgrades?.length));
  recordStalls(
    new Map(reports.map(({ chainGid, status }) => [chainGid, status === 'stalled' || status === 'unknown'])),
  );
}
