import { describeMisbehaviour } from '../describe-misbehaviour.ts';
import { LyingSolanaNode, SOLANA_LIES } from './lying-solana-node.ts';
import { playScript } from './play-script.ts';
import { SolanaChain } from './solana-chain.ts';

/** SOLANA_LIES=14 tries them all. */
const COUNT = Number(process.env['SOLANA_LIES'] ?? 4);

describeMisbehaviour({
  createChain: () => new SolanaChain(),
  createLiar: (nodeUrl) => new LyingSolanaNode(nodeUrl),
  lies: SOLANA_LIES.slice(0, COUNT),
  playScript,
  stallingLie: 'omit-transaction',
});
