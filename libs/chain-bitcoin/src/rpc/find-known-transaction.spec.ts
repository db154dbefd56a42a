// SPDX-License-Identifier: Apache-2.0
import { Block } from 'bitcoinjs-lib';
import { describeFixtures, readBlockFixture } from '../spec-fixtures.ts';
import { findKnownTransaction } from './bitcoin-rpc.ts';

const KNOWN = '{"code":-27,"message":"txn-already-known"}';
const SEND = 'sendrawtransaction';

describeFixtures('the id of a transaction that a node knows already', () => {
  // The ids are an independent parser's; one of these transactions has witnesses.
  const { bytes, expected } = readBlockFixture('testnet3-924634');
  const { transactions } = Block.fromBuffer(bytes);
  const raws = transactions!.map((transaction) => Buffer.from(transaction.toBuffer()));

  it('is told for each one of a block, with witnesses and without', () => {
    expect(transactions!.filter((transaction) => transaction.hasWitnesses()).length).toBeGreaterThan(0);
    expect(raws.map((raw) => findKnownTransaction(SEND, KNOWN, raw))).toEqual(expected.txids);
  });

  it.each([
    ['already in block chain', '{"code":-27,"message":"Transaction already in block chain"}', true],
    ['already in the UTXO set', '{"code":-27,"message":"Transaction outputs already in utxo set"}', true],
    ['txn-already-in-mempool', '{"code":-26,"message":"txn-already-in-mempool"}', true],
    ['an output that is spent', '{"code":-25,"message":"bad-txns-inputs-missingorspent"}', false],
  ])('is told for "%s": %s', (_name, error, isTold) => {
    expect(findKnownTransaction(SEND, error, raws[0]!)).toBe(isTold ? expected.txids[0] : undefined);
  });

  it('is told for no other method, and for nothing that ends early or late', () => {
    expect(findKnownTransaction('submitpackage', KNOWN, raws[0]!)).toBeUndefined();
    for (let length = 0; length < raws[0]!.length; length += 1)
      expect(findKnownTransaction(SEND, KNOWN, raws[0]!.subarray(0, length))).toBeUndefined();
    expect(findKnownTransaction(SEND, KNOWN, Buffer.concat([raws[0]!, Buffer.alloc(1)]))).toBeUndefined();
  });
});
