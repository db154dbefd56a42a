// SPDX-License-Identifier: Apache-2.0
import type { Block, BlockRef } from '@chainwatch/chain-core';
import { makeTransaction } from '../spec-world/spec-chain.ts';
import { askWitnesses } from './ask-witnesses.ts';
import { digestTransaction } from '../commit/digest-transaction.ts';

const payment = makeTransaction('payment', {
  from: 'bob',
  to: 'alice',
  transfers: [{ index: 0, type: 'native', assetGid: 'coin', from: 'bob', to: 'alice', amountRaw: 5n }],
});
const ref: BlockRef = { number: 7, hash: '0x7' };
const told: Block = {
  ...ref,
  parentHash: '0x6',
  timestamp: 1,
  transactions: [{ ...payment, verification: 'unproved' }],
  balanceChanges: [],
  touchedAssets: [],
};
const changed: Block = { ...told, transactions: [{ ...payment, to: 'carol' }] };
const absent: Block = { ...told, transactions: [] };

/** The verdict when `opinions` come from the endpoints configured, and `endpoint` told it first. */
async function judge(
  endpoint: string,
  opinions: Readonly<Record<string, Block | undefined>>,
): Promise<string | undefined> {
  const labels = Object.keys(opinions);
  const client = {
    clients: labels.map((label) => ({ label, isHealthy: true, isPrimary: label === labels[0] })),
    readBlockElsewhere: async (_ref: BlockRef, first: string) =>
      labels
        .filter((label) => label !== first && opinions[label] !== undefined)
        .map((label) => ({ label, block: opinions[label]! })),
  };
  const block = {
    ...ref,
    transactions: [{ hash: payment.hash, endpoint, digest: digestTransaction(payment).toString('hex') }],
  };
  const verdicts = await askWitnesses(client, block, new AbortController().signal);
  expect(verdicts.length).toBeLessThanOrEqual(1);
  return verdicts[0]?.verdict;
}

describe('askWitnesses', () => {
  it.each([
    ['nobody else is there', 'one', { one: told }, undefined],
    ['nobody else answers', 'one', { one: told, two: undefined }, undefined],
    ['a second one says the same', 'one', { one: told, two: told }, 'agreed'],
    ['a second one says the same, and the first is away', 'one', { one: undefined, two: told }, 'agreed'],
    ['a second one says something else', 'one', { one: told, two: changed }, 'contradicted'],
    ['a second one does not have it', 'one', { one: told, two: absent }, 'contradicted'],
    ['a third one says something else', 'one', { one: told, two: told, three: changed }, 'contradicted'],
    ['one says the same, and the first is not configured any more', 'gone', { two: told }, undefined],
    [
      'two say the same, and the first is not configured any more',
      'gone',
      { two: told, three: told },
      'agreed',
    ],
  ] as const)('%s', async (_name, endpoint, opinions, verdict) => {
    expect(await judge(endpoint, opinions)).toBe(verdict);
  });
});

describe('digestTransaction', () => {
  const [transfer] = payment.transfers;
  it.each([
    ['status', { isFailed: true }],
    ['sender', { from: 'carol' }],
    ['callee', { to: 'carol' }],
    ['created contract', { createdContract: 'c' }],
    ['fee', { fee: { assetGid: 'coin', amountRaw: 1n } }],
    ['position', { index: 1 }],
    ['amount', { transfers: [{ ...transfer!, amountRaw: 6n }] }],
    ['asset', { transfers: [{ ...transfer!, assetGid: 'other' }] }],
    ['receiver', { transfers: [{ ...transfer!, to: 'carol' }] }],
    ['number of transfers', { transfers: [transfer!, { ...transfer!, index: 1 }] }],
  ])('depends on the %s', (_name, change) => {
    expect(digestTransaction({ ...payment, ...change })).not.toEqual(digestTransaction(payment));
  });

  it('depends on inputs and outputs where there are any, and not on what was looked up for them', () => {
    const utxo = {
      isCoinbase: false,
      inputs: [{ txid: 'a', vout: 0 }],
      outputs: [{ matchKey: '00', amountRaw: 1n }],
    };
    const digest = digestTransaction({ ...payment, utxo });
    expect(digestTransaction({ ...payment, utxo, transfers: [] })).toEqual(digest);
    expect(
      digestTransaction({ ...payment, utxo: { ...utxo, outputs: [{ matchKey: '00', amountRaw: 2n }] } }),
    ).not.toEqual(digest);
    expect(digestTransaction({ ...payment, utxo: { ...utxo, inputs: [] } })).not.toEqual(digest);
  });

  it('is the same whether it was proved or not', () => {
    expect(digestTransaction({ ...payment, verification: 'unproved' })).toEqual(digestTransaction(payment));
  });
});
