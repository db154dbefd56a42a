// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { SolanaChain } from './solana-chain.ts';
import { LyingSolanaNode } from './lying-solana-node.ts';
import { playScript } from './play-script.ts';

// One lie of each kind; lies.soak.spec.ts tells them all.
describeMisbehavior({
  createChain: () => new SolanaChain(),
  createLiar: (nodeUrl) => new LyingSolanaNode(nodeUrl),
  lies: ['omit-transaction', 'skip-slot', 'alter-balance', 'lag'],
  playScript,
  stallingLie: 'omit-transaction',
});
