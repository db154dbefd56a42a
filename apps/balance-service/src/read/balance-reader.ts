// SPDX-License-Identifier: Apache-2.0
import type { ChainClient, ChainFamily } from '@chainwatch/chain-core';

/**
 * Reads balances at a block: from a node or, on chains of unspent outputs, from the coins that the analyzer keeps.
 */
export interface BalanceReader
  extends Pick<ChainClient, 'network' | 'readBalances' | 'close'>,
    Partial<Pick<ChainClient, 'readHead'>>,
    Pick<ChainFamily, 'tellsHeadOnly' | 'countBalanceRequests'> {
  /** The same from another endpoint, where there is one. */
  readonly readBalancesElsewhere?: ChainClient['readBalances'];
  /** What stands behind its answers. Absent: `attested`, because a node states them. */
  readonly verification?: BalanceVerification;
}

export type BalanceVerification = 'proved' | 'attested';
