// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Transaction } from '@chainwatch/chain-core';
import { decodeBlock, orderByParents } from './read-block.ts';
import { generateBlock, generateTransaction, traitsOf } from './spec-coin-blocks.ts';

const script = `76a914${'07'.repeat(20)}88ac`;

function toTransaction(hash: string, index: number, parents: readonly string[]): Transaction {
  const inputs = parents.map((txid, vout) => ({ txid, vout }));
  return {
    hash,
    index,
    isFailed: false,
    transfers: [],
    utxo: { isCoinbase: index === 0, inputs, outputs: [] },
  };
}

describe('the order of transactions', () => {
  it('puts each one behind those that it spends from, and loses none', () => {
    // Each spends from some of those before it; then they are shuffled, as ids shuffle them.
    const block = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { maxLength: 40 }).chain((parents) =>
      fc.shuffledSubarray(
        parents.map((of, at) => ({ hash: `tx${at}`, parents: at === 0 ? [] : of.map((p) => `tx${p % at}`) })),
        { minLength: parents.length },
      ),
    );
    fc.assert(
      fc.property(block, (shuffled) => {
        const given = shuffled.map(({ hash, parents }, index) => toTransaction(hash, index, parents));
        const ordered = orderByParents(given);
        expect(ordered.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(given.map((_, at) => at));
        const place = new Map(ordered.map(({ hash }, at) => [hash, at]));
        for (const { hash, utxo } of ordered)
          for (const { txid } of utxo!.inputs) expect(place.get(txid)!).toBeLessThan(place.get(hash)!);
      }),
    );
  });

  // A list copied for each of a million inputs takes hours.
  it('takes a child with very many inputs of one parent, and a parent with very many children', () => {
    const ofOne = Array<string>(1_000_000).fill('parent');
    const [coinbase, child, parent] = [
      toTransaction('coinbase', 0, []),
      toTransaction('child', 1, ofOne),
      toTransaction('parent', 2, []),
    ];
    expect(orderByParents([coinbase, child, parent]).map(({ hash }) => hash)).toEqual([
      'coinbase',
      'parent',
      'child',
    ]);
    const children = Array.from({ length: 300_000 }, (_, at) => toTransaction(`child${at}`, at, ['parent']));
    const ordered = orderByParents([...children, parent]);
    expect([ordered[0], ordered.at(-1), ordered.length]).toEqual([parent, children.at(-1), 300_001]);
  });

  it('puts a child behind each of its parents once', () => {
    const child = toTransaction('child', 0, ['one', 'two', 'one', 'two', 'two']);
    const ordered = orderByParents([child, toTransaction('two', 1, []), toTransaction('one', 2, [])]);
    expect(ordered.map(({ hash }) => hash)).toEqual(['two', 'one', 'child']);
  });

  it('ends with ids in a circle, which a node made up', () => {
    const circle = [toTransaction('a', 0, []), toTransaction('b', 1, ['c']), toTransaction('c', 2, ['b'])];
    expect(orderByParents(circle).map(({ hash }) => hash)).toEqual(['a', 'b', 'c']);
  });

  it('of a generated block of Bitcoin Cash is that of the ids, and what comes out has parents first', () => {
    const traits = traitsOf('bitcoin-cash');
    const coinbase = generateTransaction({ from: 'coinbase', scripts: [script] });
    let parent = generateTransaction({ scripts: [script] });
    let child = generateTransaction({ from: { txid: parent.txid, vout: 0 }, scripts: [script] });
    while (child.txid > parent.txid) {
      parent = generateTransaction({ scripts: [script] });
      child = generateTransaction({ from: { txid: parent.txid, vout: 0 }, scripts: [script] });
    }
    const all = [coinbase, child, parent];
    const { hash, bytes } = generateBlock(
      all.map((one) => one.hex),
      { traits, txids: all.map(({ txid }) => txid) },
    );
    const { transactions } = decodeBlock({ number: 800_000, hash }, bytes, traits);
    expect(transactions.map(({ hash: txid, index }) => [txid, index])).toEqual([
      [coinbase.txid, 0],
      [parent.txid, 2],
      [child.txid, 1],
    ]);
  });
});
