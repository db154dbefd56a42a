import { describeMisbehaviour } from '../describe-misbehaviour.ts';
import { TronChain } from './tron-chain.ts';
import { TRON_LIES, LyingTronNode } from './lying-tron-node.ts';
import { playScript } from './play-script.ts';

describeMisbehaviour({
  createChain: () => new TronChain(),
  createLiar: (nodeUrl) => new LyingTronNode(nodeUrl),
  lies: TRON_LIES,
  playScript,
  stallingLie: 'omit-transaction',
});
