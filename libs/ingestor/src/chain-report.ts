import type { BlockRef } from '@chainwatch/chain-core';
import type { ChainStatus } from './feed.ts';

/** How one chain does on this replica, for /readyz, metrics and logs. */
export interface ChainReport {
  readonly chainGid: string;
  /** `standby`: another replica holds the lease. */
  status: ChainStatus | 'standby';
  reason: string | undefined;
  head: BlockRef | undefined;
  finalized: BlockRef | undefined;
}

export function createChainReport(chainGid: string): ChainReport {
  return { chainGid, status: 'standby', reason: undefined, head: undefined, finalized: undefined };
}
