// SPDX-License-Identifier: Apache-2.0
/**
 * One owner is one row (ADR 15): who works on a share of the work, and how shares spread over replicas. See README.md.
 * Used by everything that is owned: the chains of ingestors, analyzers and balance services, the channels of notifiers.
 *
 * @example
 * const chains = new ShareSupervisor({ db, kind: 'balances', logger, listShares: () => readActiveChains(db), work: async ({ share, signal }) => {
 *   while (!signal.aborted) await share.transaction(async (sql) => { … });
 * } });
 */
export type { ShareWork } from './held-share.ts';
export { renewSql, ShareLostError, takeShare, type OwnedShare } from './owned-share.ts';
export { ShareSupervisor } from './share-supervisor.ts';
export type { Timing as ShareTiming } from './timing.ts';
