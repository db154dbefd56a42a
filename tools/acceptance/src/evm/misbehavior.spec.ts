// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { EvmChain } from './evm-chain.ts';
import { LyingEvmNode } from './lying-evm-node.ts';
import { playScript } from './play-script.ts';

// A lie of each kind; lies.soak.spec.ts tells them all.
describeMisbehavior({
  createChain: () => new EvmChain({ epochBlocks: 4 }),
  createLiar: (nodeUrl) => new LyingEvmNode(nodeUrl),
  lies: ['time-out', 'lag', 'omit-log', 'change-hash'],
  playScript,
  stallingLie: 'omit-receipt',
  failoverLies: ['rate-limit', 'other-chain'],
});
