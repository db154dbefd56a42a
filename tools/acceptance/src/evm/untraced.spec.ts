// SPDX-License-Identifier: Apache-2.0
import { describeOracle } from '../describe-oracle.ts';
import { EvmChain } from './evm-chain.ts';
import { playScript } from './play-script.ts';

// Without traces, transfers inside of contracts are known by their logs alone.

describeOracle({
  chain: new EvmChain({ isTraced: false }),
  playScript,
  scripts: 1,
  reorgs: { every: 4, deep: 64, shallow: 8 },
});
