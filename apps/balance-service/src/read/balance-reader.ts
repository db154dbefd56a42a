import type { ChainClient } from '@chainwatch/chain-core';

/**
 * Reads balances at a block: from a node or, on chains of unspent outputs, from the coins that the analyzer keeps.
 */
export type BalanceReader = Pick<ChainClient, 'network' | 'readBalances' | 'close'>;
