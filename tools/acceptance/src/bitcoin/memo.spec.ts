import { payments } from 'bitcoinjs-lib';
import { describeMemos } from '../describe-memos.ts';
import { BitcoinChain } from './bitcoin-chain.ts';

const AMOUNT = 100_000n;
const FEE = 10_000n;

describe('memos on Bitcoin', () => {
  describeMemos({
    chain: new BitcoinChain(),
    receiver: ({ actor }) => actor.book.keys[1]!.address,
    pay: async ({ actor }, parts) => {
      const coin = (await actor.spendable()).find(
        ({ value, key }) => value > AMOUNT * 4n && key.address !== actor.book.keys[1]!.address,
      )!;
      const sent = await actor.send(
        [coin],
        [
          { script: actor.book.keys[1]!.script, value: AMOUNT },
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
