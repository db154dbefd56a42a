import { describeMisbehaviour } from '../describe-misbehaviour.ts';
import { SolanaChain } from './solana-chain.ts';
import { SOLANA_LIES, LyingSolanaNode } from './lying-solana-node.ts';
import { playScript } from './play-script.ts';

describeMisbehaviour({
  createChain: () => new SolanaChain(),
  createLiar: (nodeUrl) => new LyingSolanaNode(nodeUrl),
  lies: SOLANA_LIES,
  playScript,
  stallingLie: 'omit-transaction',
});
