// SPDX-License-Identifier: Apache-2.0
import { describeMisbehavior } from '../describe-misbehavior.ts';
import { SolanaChain } from './solana-chain.ts';
import { SOLANA_LIES, LyingSolanaNode } from './lying-solana-node.ts';
import { playScript } from './play-script.ts';

describeMisbehavior({
  createChain: () => new SolanaChain(),
  createLiar: (nodeUrl) => new LyingSolanaNode(nodeUrl),
  lies: SOLANA_LIES,
  playScript,
  stallingLie: 'omit-transaction',
});
