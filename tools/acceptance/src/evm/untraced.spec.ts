import { describeMisbehaviour } from '../describe-misbehaviour.ts';
import { describeOracle } from '../describe-oracle.ts';
import { EvmChain } from './evm-chain.ts';
import { LyingEvmNode } from './lying-evm-node.ts';
import { playScript } from './play-script.ts';

// Without traces blocks are proved from bytes and decoded at need (docs/adr/0013-proving-from-bytes.md).

describeOracle({
  chain: new EvmChain({ isTraced: false }),
  playScript,
  scripts: 2,
  reorgs: { every: 4, deep: 64, shallow: 8 },
});

describeMisbehaviour({
  createChain: () => new EvmChain({ epochBlocks: 4, isTraced: false }),
  createLiar: (nodeUrl) => new LyingEvmNode(nodeUrl),
  lies: ['truncate-json', 'omit-log', 'omit-receipt', 'omit-transaction', 'empty-receipts', 'change-hash'],
  playScript,
  stallingLie: 'omit-log',
});
