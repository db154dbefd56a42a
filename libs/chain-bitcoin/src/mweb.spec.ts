// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { Transaction } from 'bitcoinjs-lib';
import { decodeBlock } from './read-block.ts';
import { ByteReader } from './byte-reader.ts';
import { parseTransaction } from './decode-transaction.ts';
import { toHashText } from './hash.ts';
import { readTransaction, UnknownEncodingError } from './read-transaction.ts';
import { findAddress } from './script-address.ts';
import { findTransactionId } from './rpc/bitcoin-rpc.ts';
import { buildSpecTransaction } from './spec-blocks.ts';
import {
  buildLitecoinBlock,
  generateBlock,
  generateTransaction,
  litecoin,
  traitsOf,
} from './spec-coin-blocks.ts';
import { networkNamed } from './spec-fixtures.ts';
import { formatOf } from './transaction-format.ts';
import pegs from './vectors/litecoin-2265985-pegs.json' with { type: 'json' };

const traits = traitsOf('litecoin');
const format = formatOf(traits);
const ref = { number: litecoin.height, hash: litecoin.hash };
const bytes = buildLitecoinBlock();
const script = `76a914${'07'.repeat(20)}88ac`;

/** The bytes of a transaction with the flag 8 set, and with `part` of an extension block before its lock time. */
function addPart(transaction: Transaction, part: string): string {
  const hex = transaction.toHex();
  const body = transaction.hasWitnesses() ? `0009${hex.slice(12, -8)}` : `0008${hex.slice(8, -8)}`;
  return `${hex.slice(0, 8)}${body}${part}${hex.slice(-8)}`;
}

describe('a block with an extension block', () => {
  it.each<[string, Buffer, RegExp]>([
    ['whose end is missing but for its first byte', bytes.subarray(0, -170), /none/],
    ['that is told without it', Buffer.concat([bytes.subarray(0, -171), Buffer.of(0)]), /none/],
    ['that is told with nothing behind the transactions', bytes.subarray(0, -171), /none/],
  ])('%s is the same: it is read past', (_name, told) => {
    expect(decodeBlock(ref, told, traits)).toEqual(decodeBlock(ref, bytes, traits));
  });

  it('is refused with something behind it where nothing is told', () => {
    const told = Buffer.concat([bytes.subarray(0, -171), Buffer.of(0, 0)]);
    expect(() => decodeBlock(ref, told, traits)).toThrow(/expected the block to end/);
  });

  it('is unknown where the network has none', () => {
    const { mweb: _none, ...bare } = traits;
    expect(() => decodeBlock(ref, bytes, bare)).toThrow(UnknownEncodingError);
  });

  it('is refused when its transaction is not the last one', () => {
    const coinbase = generateTransaction({ from: 'coinbase', scripts: [script] });
    const payments = [generateTransaction({ scripts: [script] }), generateTransaction({ scripts: [script] })];
    const moved = addPart(Transaction.fromHex(payments[0]!.hex), '00');
    const txids = [coinbase, ...payments].map(({ txid }) => txid);
    const { hash, bytes: wrong } = generateBlock([coinbase.hex, moved, payments[1]!.hex], { traits, txids });
    expect(() => decodeBlock({ number: 3_000_000, hash }, wrong, traits)).toThrow(/to be the last one/);
    const right = generateBlock([coinbase.hex, payments[1]!.hex, moved], {
      traits,
      txids: [txids[0]!, txids[2]!, txids[1]!],
    });
    const block = decodeBlock({ number: 3_000_000, hash: right.hash }, right.bytes, traits);
    expect(block.transactions.map(({ hash: txid }) => txid)).toEqual([txids[0], txids[2], txids[1]]);
  });

  it('is unknown with a part of it in another transaction', () => {
    const coinbase = generateTransaction({ from: 'coinbase', scripts: [script] });
    const payment = generateTransaction({ scripts: [script] });
    const withPart = addPart(Transaction.fromHex(payment.hex), '01aabb');
    const { hash, bytes: told } = generateBlock([coinbase.hex, withPart], {
      traits,
      txids: [coinbase.txid, payment.txid],
    });
    expect(() => decodeBlock({ number: 3_000_000, hash }, told, traits)).toThrow(UnknownEncodingError);
  });

  it('is paid into and out of by outputs that have no address, and by ones that do', () => {
    const network = networkNamed('litecoin');
    expect(findAddress(network, `5920${'ab'.repeat(32)}`)).toBeUndefined();
    expect(findAddress(network, `5820${'ab'.repeat(32)}`)).toBeUndefined();
    expect(findAddress(network, script)).toMatch(/^L/);
    expect(findAddress(networkNamed('bitcoin'), `5920${'ab'.repeat(32)}`)).toMatch(/^bc1/);
  });
});

describe('recorded transactions of the extension block', () => {
  const network = networkNamed('litecoin');

  it.each(Object.entries({ pegIn: pegs.pegIn, hogEx: pegs.hogEx }))(
    '%s: has its id',
    (_name, { txid, hex }) => {
      const { txidBytes } = readTransaction(new ByteReader(Buffer.from(hex, 'hex')), format);
      expect(toHashText(txidBytes)).toBe(txid);
      expect(parseTransaction(txid, hex, format).hash).toBe(txid);
    },
  );

  it('a payment into it has an amount and no address, and is spent by the last transaction of the block', () => {
    const paid = parseTransaction(pegs.pegIn.txid, pegs.pegIn.hex, format).utxo!;
    expect(
      paid.outputs.map(({ matchKey, amountRaw }) => [findAddress(network, matchKey), amountRaw]),
    ).toEqual([[undefined, 4_217_283n]]);
    const moved = parseTransaction(pegs.hogEx.txid, pegs.hogEx.hex, format).utxo!;
    expect(moved.inputs).toContainEqual({ txid: pegs.pegIn.txid, vout: 0 });
    expect(moved.outputs.map(({ matchKey }) => findAddress(network, matchKey))).toEqual([undefined]);
  });

  it('a payment out of it (generated) is an output of that transaction, with its address', () => {
    const transaction = new Transaction();
    transaction.addInput(Buffer.alloc(32, 7), 0);
    transaction.addOutput(Buffer.from(`5820${'ab'.repeat(32)}`, 'hex'), 100_000n);
    transaction.addOutput(Buffer.from(script, 'hex'), 2_500n);
    const coinbase = generateTransaction({ from: 'coinbase', scripts: [script] });
    const { hash, bytes: told } = generateBlock([coinbase.hex, addPart(transaction, '00')], {
      traits,
      txids: [coinbase.txid, transaction.getId()],
    });
    const { transactions } = decodeBlock({ number: 3_000_000, hash }, told, traits);
    expect(transactions[1]!.utxo!.outputs[1]).toEqual({ matchKey: script, amountRaw: 2_500n });
  });
});

describe('an unconfirmed transaction with a part of an extension block', () => {
  it.each([true, false])('has the id and the outputs of the rest of it (witness: %s)', (hasWitness) => {
    const transaction = buildSpecTransaction({ hasWitness });
    const plain = parseTransaction(transaction.getId(), transaction.toHex(), format);
    for (const part of ['00', '01aabbccdd']) {
      const raw = addPart(transaction, part);
      expect(parseTransaction(transaction.getId(), raw, format)).toEqual(plain);
      // What the RPC gateway looks for after a send.
      expect(findTransactionId(Buffer.from(raw, 'hex'))).toBe(transaction.getId());
    }
  });

  it('is unknown when it is within the extension block alone, and where there is none', () => {
    const alone = '0200000000080000' + '01aabbccdd' + '00000000';
    expect(() => parseTransaction('ab'.repeat(32), alone, format)).toThrow(UnknownEncodingError);
    const transaction = buildSpecTransaction();
    for (const name of ['bitcoin', 'dogecoin', 'bitcoin-cash'])
      expect(() =>
        parseTransaction(transaction.getId(), addPart(transaction, '00'), formatOf(traitsOf(name))),
      ).toThrow(UnknownEncodingError);
  });
});

it.each(['dogecoin', 'bitcoin-cash'])(
  'a witness is unknown on %s, and a commitment in a coinbase means nothing',
  (name) => {
    const coinbase = generateTransaction({
      from: 'coinbase',
      scripts: [script, `6a24aa21a9ed${'11'.repeat(32)}`],
    });
    const witness = buildSpecTransaction();
    const own = traitsOf(name);
    const honest = generateBlock([coinbase.hex], { traits: own, txids: [coinbase.txid], version: 0x620004 });
    expect(
      decodeBlock({ number: 5_000_000, hash: honest.hash }, honest.bytes, own).transactions,
    ).toHaveLength(1);
    const { hash, bytes: told } = generateBlock([coinbase.hex, witness.toHex()], {
      traits: own,
      txids: [coinbase.txid, witness.getId()],
      version: 0x620004,
    });
    const failure = (): unknown => decodeBlock({ number: 5_000_000, hash }, told, own);
    expect(failure).toThrow(UnknownEncodingError);
    expect(failure).toThrow(IncompleteBlockError);
  },
);
