// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { TronChain } from './tron-chain.ts';
import { LyingTronNode } from './lying-tron-node.ts';
import { playScript } from './play-script.ts';

// A lie of each kind; lies.soak.spec.ts tells them all.
describeMisbehavior({
  createChain: () => new TronChain(),
  createLiar: (nodeUrl) => new LyingTronNode(nodeUrl),
  lies: ['lag', 'change-result', 'omit-log', 'error-as-answer'],
  playScript,
  stallingLie: 'omit-transaction',
});
