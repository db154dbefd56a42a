// SPDX-License-Identifier: Apache-2.0
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { describeBalanceRound } from '../describe-balance-round.ts';
import { SolanaChain } from './solana-chain.ts';

describeBalanceRound({
  chain: new SolanaChain(),
  nativeGid: 'solana:localnet/slip44:1',
  blocks: 2,
  addSilently: async ({ node, payee }, lamports) => {
    const { value } = await node.call<{ value: number }>('getBalance', [payee, { commitment: 'confirmed' }]);
    await node.setAccount(new PublicKey(payee), {
      owner: SystemProgram.programId,
      data: new Uint8Array(),
      lamports: BigInt(value) + lamports,
    });
  },
});
