// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../devnet/solana/index.ts';
import { SolanaChain } from '../solana/solana-chain.ts';
import { describeHostile } from './describe-hostile.ts';
import { createMemos } from './hostile-memos.ts';
import { Extremes, TEXTS } from './hostile-values.ts';

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const MEMO_BYTES_MAX = 500;
const U64_MAX = 2n ** 64n - 1n;

describe('hostile values on Solana', () => {
  describeHostile({
    chain: new SolanaChain(),
    target: ({ actor }) => actor.wallets[2]!.publicKey.toBase58(),
    victim: ({ actor }) => actor.wallets[1]!.publicKey.toBase58(),
    createAttack: ({ actor }, random) => {
      const memos = createMemos(random, MEMO_BYTES_MAX);
      const decimals = new Extremes(random, [0, 1, 9, 18, 77, 78, 255]);
      const amounts = new Extremes(random, [0n, 1n, 2n ** 63n - 1n, 2n ** 63n, U64_MAX - 1n, U64_MAX]);
      const texts = new Extremes(random, TEXTS);
      const { publicKey: to } = actor.wallets[2]!;
      return Promise.resolve(async () => {
        if (random.next() < 0.5)
          return actor.payWithMemos(actor.wallets[0]!, to, [{ program: MEMO_PROGRAM, data: memos.next() }]);
        const mint = await actor.createMint(
          random.pick([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]),
          decimals.next(),
        );
        await actor.nameMint(mint, { name: texts.next(), symbol: texts.next() });
        return actor.mint(mint, to, amounts.next());
      });
    },
    payVictim: (chain) => chain.payPayee(),
    mine: (chain) => chain.mine(),
  });
});
