// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { payments } from 'bitcoinjs-lib';
import { createScriptKey } from '../../../devnet/bitcoin/index.ts';
import { describeMemos } from '../describe-memos.ts';
import { BitcoinChain } from './bitcoin-chain.ts';

const AMOUNT = 100_000n;
const FEE = 10_000n;
/** Nothing was ever paid to it. */
const key = createScriptKey('p2wpkh', randomBytes(32));

describe('memos on Bitcoin', () => {
  describeMemos({
    chain: new BitcoinChain(),
    receiver: () => key.address,
    pay: async ({ actor }, parts) => {
      const coin = (await actor.spendable()).find(({ value }) => value > AMOUNT * 4n)!;
      const sent = await actor.send(
        [coin],
        [
          { script: key.script, value: AMOUNT },
          ...parts.map((data) => ({
            script: Buffer.from(payments.embed({ data: [data] }).output!),
            value: 0n,
          })),
          { script: coin.key.script, value: coin.value - AMOUNT - FEE },
        ],
      );
      if (sent === undefined) throw new Error('expected the node to take the payment, got a refusal');
    },
    mine: ({ node }) => node.mine(),
    partsMax: 1,
  });
});
