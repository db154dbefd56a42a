import { describeOracle } from '../describe-oracle.ts';
import { EvmChain } from './evm-chain.ts';
import { playScript } from './play-script.ts';

// Without traces blocks are proved from bytes and decoded at need (docs/adr/0013-proving-from-bytes.md).

describeOracle({
  chain: new EvmChain({ isTraced: false }),
  playScript,
  scripts: 1,
  reorgs: { every: 4, deep: 64, shallow: 8 },
});
