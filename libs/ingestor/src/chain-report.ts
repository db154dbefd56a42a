// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, BlockTime, NodeUpgrade } from '@chainwatch/chain-core';
import type { ChainStatus } from './feed.ts';

/** The state of one chain on this replica, for /readyz, metrics and logs. */
export interface ChainReport {
  readonly chainGid: string;
  /** `standby`: another replica owns the chain. `unknown`: it could not be found out who does. */
  status: ChainStatus | 'standby' | 'unknown';
  reason: string | undefined;
  head: BlockRef | undefined;
  finalized: BlockRef | undefined;
  /** What the node said last. */
  nodeHeadNumber: number | undefined;
  /** The newest of the node's heads: its own time, and when it was first seen here. */
  newestHead: { readonly hash: string; readonly timestampMs: number; readonly seenAtMs: number } | undefined;
  /** Between two blocks. Undefined where nobody is to be told of a pause: a local chain. */
  blockTime: Pick<BlockTime, 'ms' | 'measuredMs' | 'configuredMs'> | undefined;
  /** Upgrades that a node tells and the calendar does not. Undefined until a node can tell. */
  newUpgrades: readonly NodeUpgrade[] | undefined;
}

export function createChainReport(chainGid: string): ChainReport {
  return {
    chainGid,
    status: 'unknown',
    reason: 'the owner was not asked for yet',
    head: undefined,
    finalized: undefined,
    nodeHeadNumber: undefined,
    newestHead: undefined,
    blockTime: undefined,
    newUpgrades: undefined,
  };
}
