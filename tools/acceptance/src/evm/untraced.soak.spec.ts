// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { EvmChain } from './evm-chain.ts';
import { LyingEvmNode } from './lying-evm-node.ts';
import { playScript } from './play-script.ts';

// Its lies, without traces; its random histories are in untraced.spec.ts.

describeMisbehavior({
  createChain: () => new EvmChain({ epochBlocks: 4, isTraced: false }),
  createLiar: (nodeUrl) => new LyingEvmNode(nodeUrl),
  lies: ['truncate-json', 'omit-log', 'omit-receipt', 'omit-transaction', 'empty-receipts', 'change-hash'],
  playScript,
  stallingLie: 'omit-log',
});
