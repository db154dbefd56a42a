// SPDX-License-Identifier: Apache-2.0
import { playScript } from '../solana/play-script.ts';
import { SolanaChain } from '../solana/solana-chain.ts';
import { describeStatement } from './describe-statement.ts';

interface Paid {
  readonly rewards: readonly { readonly pubkey: string; readonly lamports: number }[];
}

/** A block with a payment, whose fee goes to the leader. */
async function produceFee(chain: SolanaChain): Promise<Paid['rewards'][number]> {
  await chain.payPayee();
  await chain.mine();
  const { number } = await chain.readHead();
  const { rewards } = await chain.node.call<Paid>('getBlock', [
    number,
    { commitment: 'confirmed', transactionDetails: 'none', rewards: true },
  ]);
  return rewards[0]!;
}

describeStatement({
  chain: new SolanaChain(),
  playScript,
  ...{ steps: 20, reorgDepthMax: 8 },
  isKnown: () => true,
  listWallets: async (chain) => [
    chain.actor.wallets[0]!.publicKey.toBase58(),
    chain.payee,
    (await produceFee(chain)).pubkey,
  ],
  reward: async (chain) => {
    const { pubkey: address, lamports } = await produceFee(chain);
    return { address, amountRaw: BigInt(lamports) };
  },
});
