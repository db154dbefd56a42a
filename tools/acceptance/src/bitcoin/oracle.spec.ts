// SPDX-License-Identifier: Apache-2.0
import { describeOracle } from '../describe-oracle.ts';
import { BitcoinChain } from './bitcoin-chain.ts';
import { playScript } from './play-script.ts';

describeOracle({
  chain: new BitcoinChain(),
  playScript,
  scripts: 2,
  reorgs: { every: 3, deep: 20, shallow: 5 },
});
