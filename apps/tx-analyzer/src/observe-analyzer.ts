// SPDX-License-Identifier: Apache-2.0
import { gauge, onScrape, recordOwned } from '@chainwatch/telemetry';
import type { ChainReport } from './chain/chain-report.ts';
import type { FamilyWatch } from './watch/family-watch.ts';

const watched = gauge('chainwatch_watched_addresses', {
  description: 'Addresses in the watch set of this process, by family.',
});

interface Observed {
  /** The chains that this replica owns now. */
  readonly reports: () => readonly ChainReport[];
  readonly families: () => Iterable<FamilyWatch>;
}

/** Tells at each scrape how old the oldest block is that waits for analysis, and how many addresses are watched. Returns stop. */
export function observeAnalyzer({ reports, families }: Observed): () => void {
  const recordAges = recordOwned(
    gauge('chainwatch_analyzer_lag_seconds', {
      description: 'Since the ingestor recorded the oldest block that is not analysed; 0: none waits.',
    }),
  );
  return onScrape(() => {
    const ageOf = (sinceMs = Date.now()): number => Math.max(0, Date.now() - sinceMs) / 1_000;
    recordAges(new Map(reports().map(({ chainGid, waitingSinceMs }) => [chainGid, ageOf(waitingSinceMs)])));
    for (const { family, size } of families()) watched.set(size, { family });
  });
}
