import { describeMisbehaviour } from '../describe-misbehaviour.ts';
import { LyingTronNode, TRON_LIES } from './lying-tron-node.ts';
import { playScript } from './play-script.ts';
import { TronChain } from './tron-chain.ts';

describeMisbehaviour({
  createChain: () => new TronChain(),
  createLiar: (nodeUrl) => new LyingTronNode(nodeUrl),
  lies: TRON_LIES,
  playScript,
  stallingLie: 'omit-transaction',
});
