// SPDX-License-Identifier: Apache-2.0
import { playScript } from '../tron/play-script.ts';
import { toBase58 } from '../tron/expect-transactions.ts';
import { TronChain } from '../tron/tron-chain.ts';
import { describeStatement } from './describe-statement.ts';

const DAY_MS = 86_400_000;

// Stakes leave the balance and are told; fees are burnt.
describeStatement({
  // Three seconds a block: a burst of them runs ahead of the clock, and a statement ends in the past.
  chain: new TronChain('both', { behindMs: DAY_MS }),
  playScript,
  ...{ steps: 20, reorgDepthMax: 8 },
  isKnown: (assetGid) => /\/(slip44|trc10):/.test(assetGid),
  listWallets: ({ actor }) =>
    Promise.resolve(actor.accounts.slice(5, 7).map(({ hexAddress }) => toBase58(hexAddress))),
});
