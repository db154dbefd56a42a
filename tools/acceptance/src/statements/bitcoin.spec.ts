// SPDX-License-Identifier: Apache-2.0
import { BitcoinChain } from '../bitcoin/bitcoin-chain.ts';
import { playScript } from '../bitcoin/play-script.ts';
import { describeStatement } from './describe-statement.ts';

const minerOf = ({ actor }: BitcoinChain) => actor.book.strangers[3]!;

describeStatement({
  chain: new BitcoinChain(),
  playScript,
  ...{ steps: 20, reorgDepthMax: 5 },
  isKnown: () => true,
  listWallets: (chain) => Promise.resolve([chain.actor.book.keys[1]!.address, minerOf(chain).address]),
  reward: async (chain) => {
    const { address, script } = minerOf(chain);
    const [hash] = await chain.node.mine(1, { script });
    const { transactions } = await chain.node.readBlock(hash!);
    return { address, amountRaw: transactions![0]!.outs[0]!.value };
  },
});
