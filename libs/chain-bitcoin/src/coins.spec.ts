// SPDX-License-Identifier: Apache-2.0
import { decodeTransaction, lockingBytecodeToCashAddress } from '@bitauth/libauth';
import { blake3 } from '@noble/hashes/blake3.js';
import { address as library, networks, Transaction } from 'bitcoinjs-lib';
import type { Block, BlockRef } from '@chainwatch/chain-core';
import { decodeBlock } from './read-block.ts';
import { findAddress } from './script-address.ts';
import {
  bitcoinCash,
  bitcoinCashBlock,
  buildLitecoinBlock,
  chipnetTraits,
  dogecoin,
  dogecoinBlock,
  litecoin,
  traitsOf,
} from './spec-coin-blocks.ts';
import { networkNamed } from './spec-fixtures.ts';

// One recorded block for each coin: every address and amount is what an independent reading gives.

type Row = readonly [txid: string, vout: number, address: string | undefined, amountRaw: bigint];

const rowsOf = ({ transactions }: Block, addressOf: (script: string) => string | undefined): Row[] =>
  transactions
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ hash, utxo }) =>
      utxo!.outputs.map(
        ({ matchKey, amountRaw }, vout) => [hash, vout, addressOf(matchKey), amountRaw] as const,
      ),
    );
const refOf = ({ height, hash }: { height: number; hash: string }): BlockRef => ({ number: height, hash });
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('a recorded block of Litecoin, with an extension block', () => {
  const network = networkNamed('litecoin');
  const bytes = buildLitecoinBlock();
  const block = decodeBlock(refOf(litecoin), bytes, traitsOf('litecoin'));

  it('is as long as its node says, and its extension block has the header that the block names', () => {
    expect(bytes).toHaveLength(litecoin.size);
    expect(hex(bytes)).toBe(litecoin.block);
    const header = bytes.subarray(-170, -3);
    expect(hex(blake3(header))).toBe(litecoin.mweb.hash);
  });

  it('has the addresses and amounts that its node tells', () => {
    const told = litecoin.tx.flatMap(({ txid, vout }) =>
      vout.map(
        ({ value, ...one }, at) =>
          [txid, at, 'address' in one ? one.address : undefined, BigInt(Math.round(value * 1e8))] as Row,
      ),
    );
    expect(rowsOf(block, (script) => findAddress(network, script))).toEqual(told);
    expect(told.filter(([, , address]) => address !== undefined)).toHaveLength(12);
  });

  it('names its header, time and parent', () => {
    expect(block).toMatchObject({
      number: litecoin.height,
      hash: litecoin.hash,
      parentHash: litecoin.previousblockhash,
      timestamp: litecoin.time,
    });
  });

  it('ends with the transaction of the extension block, whose balance is nobody’s', () => {
    const last = block.transactions.at(-1)!;
    expect(last.utxo).toEqual({
      isCoinbase: false,
      inputs: [{ txid: '95dac91ec1d00602c853d3f496c4847eea215d034ec2a4803ecf406cadf15a99', vout: 0 }],
      outputs: [{ matchKey: `5820${litecoin.mweb.hash}`, amountRaw: 793_199_220_526n }],
    });
  });
});

describe('a recorded block of Dogecoin, with merged mining', () => {
  const network = networkNamed('dogecoin');
  const block = decodeBlock(refOf(dogecoin), dogecoinBlock, traitsOf('dogecoin'));
  const prefixes = { ...networks.bitcoin, pubKeyHash: 30, scriptHash: 22 };

  /** Behind the proof, whose lengths are counted by hand. */
  function readElsewhere(): Transaction[] {
    let at = 80 + Transaction.fromBuffer(dogecoinBlock.subarray(80), true).byteLength() + 32;
    at += 1 + 32 * dogecoinBlock[at]! + 4;
    at += 1 + 32 * dogecoinBlock[at]! + 4 + 80;
    const count = dogecoinBlock[at]!;
    at += 1;
    return Array.from({ length: count }, () => {
      const transaction = Transaction.fromBuffer(dogecoinBlock.subarray(at), true);
      at += transaction.byteLength();
      return transaction;
    });
  }

  it('has the transactions that its node tells', () => {
    expect(block.transactions.map(({ hash }) => hash)).toEqual(dogecoin.tx);
    expect(block).toMatchObject({ parentHash: dogecoin.previousblockhash, timestamp: dogecoin.time });
  });

  it('has the addresses and amounts that bitcoinjs-lib reads', () => {
    const rows = readElsewhere().flatMap((transaction) =>
      transaction.outs.map(({ script, value }, vout): Row => {
        // The coinbase pays to a key, which has no address here.
        const address = /^21/.test(hex(script)) ? undefined : library.fromOutputScript(script, prefixes);
        return [transaction.getId(), vout, address, value];
      }),
    );
    expect(rows.map(([, , address]) => address)).toContain('DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6');
    expect(rowsOf(block, (script) => findAddress(network, script))).toEqual(rows);
  });
});

describe('a recorded block of Bitcoin Cash, with tokens', () => {
  const network = { ...networkNamed('bitcoin-cash'), traits: chipnetTraits };
  const block = decodeBlock(refOf(bitcoinCash), bitcoinCashBlock, chipnetTraits);

  function readElsewhere(): Row[] {
    const rows: Row[] = [];
    for (let at = 81, left = bitcoinCashBlock[80]!; left > 0; left--) {
      const raw = Transaction.fromBuffer(bitcoinCashBlock.subarray(at), true);
      const bytes = bitcoinCashBlock.subarray(at, at + raw.byteLength());
      at += bytes.length;
      // The library turns hashes around in place.
      const decoded = decodeTransaction(Uint8Array.from(bytes));
      if (typeof decoded === 'string') throw new Error(decoded);
      for (const [vout, { lockingBytecode, valueSatoshis }] of decoded.outputs.entries()) {
        const cash = lockingBytecodeToCashAddress({ bytecode: lockingBytecode, prefix: 'bchtest' });
        rows.push([raw.getId(), vout, typeof cash === 'string' ? undefined : cash.address, valueSatoshis]);
      }
    }
    return rows;
  }

  it('has the addresses and amounts that libauth reads', () => {
    const rows = readElsewhere();
    expect(rows.filter(([, , address]) => address !== undefined).length).toBeGreaterThan(15);
    expect(rowsOf(block, (script) => findAddress(network, script))).toEqual(rows);
  });

  it('has the scripts and amounts that bitcore reads, without the tokens in front of them', () => {
    const told = bitcoinCash.tx.flatMap(({ txid, vout }) =>
      vout.map(({ script, satoshis }, at) => [txid, at, script, BigInt(satoshis)] as const),
    );
    expect(rowsOf(block, (script) => script)).toEqual(told);
    const withTokens = bitcoinCash.tx.flatMap(({ vout }) => vout.filter((one) => 'tokenData' in one));
    expect(withTokens.length).toBeGreaterThan(5);
  });

  it('keeps what looks like tokens in the script from before there were some', () => {
    const before = decodeBlock(refOf(bitcoinCash), bitcoinCashBlock, {
      ...chipnetTraits,
      cashTokensHeight: 121_958,
    });
    expect(rowsOf(before, (script) => script).filter(([, , script]) => script?.startsWith('ef'))).not.toEqual(
      [],
    );
  });
});
