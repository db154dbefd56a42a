// SPDX-License-Identifier: Apache-2.0
import { payments } from 'bitcoinjs-lib';
import { BitcoinChain } from '../bitcoin/bitcoin-chain.ts';
import type { ScriptKey } from '../../../devnet/bitcoin/index.ts';
import { describeHostile } from './describe-hostile.ts';
import { createMemos } from './hostile-memos.ts';

const AMOUNT = 100_000n;
const FEE = 10_000n;
/** What a node relays. */
const MEMO_BYTES_MAX = 80;
/** Who only receive. */
const strangersOf = ({ actor }: BitcoinChain) => actor.book.strangers as [ScriptKey, ScriptKey];

async function pay({ actor }: BitcoinChain, script: Uint8Array, memo?: Buffer): Promise<void> {
  const coin = (await actor.spendable()).find(({ value }) => value > AMOUNT * 4n)!;
  const data = memo && Buffer.from(payments.embed({ data: [memo] }).output!);
  const sent = await actor.send(
    [coin],
    [
      { script, value: AMOUNT },
      ...(data === undefined ? [] : [{ script: data, value: 0n }]),
      { script: coin.key.script, value: coin.value - AMOUNT - FEE },
    ],
  );
  if (sent === undefined) throw new Error('expected the node to take the payment, got a refusal');
}

describe('hostile values on Bitcoin', () => {
  describeHostile({
    chain: new BitcoinChain(),
    target: (chain) => strangersOf(chain)[0].address,
    victim: (chain) => strangersOf(chain)[1].address,
    createAttack: (chain, random) => {
      const memos = createMemos(random, MEMO_BYTES_MAX);
      return Promise.resolve(() => pay(chain, strangersOf(chain)[0].script, memos.next()));
    },
    payVictim: (chain) => pay(chain, strangersOf(chain)[1].script),
    mine: ({ node }) => node.mine(),
  });
});
