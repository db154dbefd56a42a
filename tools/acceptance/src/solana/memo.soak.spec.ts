// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';
import { describeMemos } from '../describe-memos.ts';
import { SolanaChain } from './solana-chain.ts';

/** The first version of the memo program and the second one. */
const PROGRAMS = [
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
].map((key) => new PublicKey(key));

/** In turn. */
const VERSIONS = ['legacy', 0, 1] as const;
let payments = 0;

describe('memos on Solana', () => {
  describeMemos({
    chain: new SolanaChain(),
    receiver: ({ actor }) => actor.wallets[1]!.publicKey.toBase58(),
    pay: ({ actor }, parts) => {
      actor.useVersion(VERSIONS[payments++ % VERSIONS.length]!);
      return actor.payWithMemos(
        actor.wallets[0]!,
        actor.wallets[1]!.publicKey,
        // The program refuses what is no UTF-8: a payment that fails, whose sender nobody watches.
        parts
          .filter((part) => part[0] !== 0xff)
          .map((data, position) => ({ program: PROGRAMS[position % 2]!, data })),
      );
    },
    mine: ({ actor }) => actor.produce(),
    partsMax: 2,
  });
});
