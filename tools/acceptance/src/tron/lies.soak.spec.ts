// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { TronChain } from './tron-chain.ts';
import { TRON_LIES, LyingTronNode } from './lying-tron-node.ts';
import { playScript } from './play-script.ts';

describeMisbehavior({
  createChain: () => new TronChain(),
  createLiar: (nodeUrl) => new LyingTronNode(nodeUrl),
  lies: TRON_LIES,
  playScript,
  stallingLie: 'omit-transaction',
});
