// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { EvmChain } from './evm-chain.ts';
import { EVM_LIES, LyingEvmNode } from './lying-evm-node.ts';
import { playScript } from './play-script.ts';

describeMisbehavior({
  createChain: () => new EvmChain({ epochBlocks: 4 }),
  createLiar: (nodeUrl) => new LyingEvmNode(nodeUrl),
  lies: EVM_LIES,
  playScript,
  stallingLie: 'omit-receipt',
  failoverLies: [
    'time-out',
    'rate-limit',
    'truncate-json',
    'other-chain',
    'omit-log',
    'empty-receipts',
    'change-hash',
    'lag',
    'trace-error',
  ],
});
