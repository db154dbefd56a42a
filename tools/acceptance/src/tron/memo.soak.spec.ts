// SPDX-License-Identifier: Apache-2.0
import { describeMemos } from '../describe-memos.ts';
import { TronChain } from './tron-chain.ts';

describe('memos on TRON', () => {
  describeMemos({
    chain: new TronChain(),
    receiver: ({ actor }) => actor.accounts[1]!.address,
    pay: ({ actor }, [data]) =>
      actor.sendTrx(actor.accounts[0]!, { to: actor.accounts[1]!.hexAddress, sun: 5_000n, data }),
    mine: ({ actor }) => actor.mine(),
    partsMax: 1,
  });
});
