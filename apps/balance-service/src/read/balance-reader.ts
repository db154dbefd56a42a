import type { ChainClient } from '@chainwatch/chain-core';

/** Who tells balances at a block: a node, or on chains of unspent outputs the coins that the analyzer keeps. */
export type BalanceReader = Pick<ChainClient, 'network' | 'readBalances' | 'close'>;
