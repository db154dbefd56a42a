// SPDX-License-Identifier: Apache-2.0
import { describeBalanceRound } from '../describe-balance-round.ts';
import { TronChain } from './tron-chain.ts';

// As a withdrawal of unstaked TRX that no decoder knows.
describeBalanceRound({
  chain: new TronChain(),
  nativeGid: 'tron:0x7a69/slip44:1',
  blocks: 42,
  addSilently: ({ tron, actor }, sun) => tron.node.vm.addBalance(actor.accounts[1]!.hexAddress, sun),
});
