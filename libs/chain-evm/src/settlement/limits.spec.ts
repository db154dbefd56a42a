// SPDX-License-Identifier: Apache-2.0
import { SettledChain } from '@chainwatch/tool-devnet/settled-chain';
import type { Block } from '@chainwatch/chain-core';
import type { KeptBlock } from './kept-block.ts';
import { SettlementBook, shareFlight } from './settlement-book.ts';
import { EMPTY_BLOOM, EMPTY_ROOT } from './settlement-header.ts';
import { ALICE, refOf, standingOf, START_MS, startRig } from './spec-settled.ts';

const wordOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;

function kept(number: number, byteLength = 1_000): KeptBlock {
  return {
    ref: { number, hash: wordOf(number) },
    header: {
      number,
      hash: wordOf(number),
      parentHash: wordOf(number - 1),
      timestamp: number,
      timestampMs: 1_000 * number,
      transactionsRoot: EMPTY_ROOT,
      receiptsRoot: EMPTY_ROOT,
      logsBloom: EMPTY_BLOOM,
      isAsynchronous: true,
      settledHeight: number - 1,
    },
    encodings: [],
    bloom: EMPTY_BLOOM,
    strangeReceipts: [],
    unknown: undefined,
    byteLength,
  };
}

describe('what is kept', () => {
  const numbersIn = (book: SettlementBook, numbers: readonly number[]): number[] =>
    numbers.filter((number) => book.find(wordOf(number)) !== undefined);

  it('is 64 blocks at most, the last ones that were used', () => {
    const book = new SettlementBook();
    const numbers = Array.from({ length: 70 }, (_, index) => index + 1);
    for (const number of numbers) book.keep(kept(number));
    expect(numbersIn(book, numbers)).toEqual(numbers.slice(6));
  });

  it('is no more than its bytes, and no block that is larger', () => {
    const book = new SettlementBook({ bytesMax: 10_000 });
    for (const number of [1, 2, 3]) book.keep(kept(number, 4_000));
    book.keep(kept(4, 10_001));
    expect(numbersIn(book, [1, 2, 3, 4])).toEqual([2, 3]);
  });

  it('a proved block is not replaced by one that is not', () => {
    const book = new SettlementBook();
    const proved = kept(5);
    book.keep(proved);
    book.setProved([proved], { number: 9, hash: wordOf(9) });
    book.keep(kept(5));
    expect(book.findProof(book.find(wordOf(5))!)).toEqual({ number: 9, hash: wordOf(9) });
  });

  it('covers what is above the lowest block that a later header proves', () => {
    const book = new SettlementBook();
    expect(book.covers(1e9)).toBe(false);
    book.keep(kept(100));
    book.keep(kept(120));
    expect([99, 100, 101].map((number) => book.covers(number))).toEqual([false, true, true]);
  });
});

describe('work under way', () => {
  it('is joined, and done again by each that joined it where it fails', async () => {
    const flights = new Map<string, Promise<number>>();
    let count = 0;
    let fail: (error: Error) => void = () => undefined;
    const stuck = shareFlight(flights, 'a', () => new Promise<number>((_, reject) => (fail = reject)));
    const joined = shareFlight(flights, 'a', () => Promise.resolve(++count));
    fail(new Error('given up'));
    await expect(stuck).rejects.toThrow('given up');
    expect([await joined, count]).toEqual([1, 1]);
    const [first, second] = [1, 2].map(() => shareFlight(flights, 'a', () => Promise.resolve(++count)));
    expect([await first, await second, count]).toEqual([2, 2, 2]);
    expect(flights.size).toBe(0);
  });
});

describe('a chain that does not settle', () => {
  it('costs the headers after a block up to a limit, and the block goes on waiting', async () => {
    const chain = await SettledChain.create({ startMs: START_MS });
    const block = await chain.append({ transactions: [{ to: ALICE, value: 5n }] });
    for (let count = 0; count < 1_040; count++) await chain.append();
    const rig = await startRig(chain);
    const client = rig.connect();
    expect(standingOf(await client.readBlock(refOf(block)))).toBe('settling');
    expect(rig.count('eth_getBlockByNumber')).toBe(1_024);
    rig.node.asked.length = 0;
    expect(standingOf(await client.readBlock(refOf(block)))).toBe('settling');
    expect(rig.node.asked).toEqual([]);
    await rig.stop();
  });

  it('and then settles more at once than is read for a proof leaves the block waiting', async () => {
    const chain = await SettledChain.create({ startMs: START_MS });
    const transactions = [{ to: ALICE, value: 5n }];
    const [long, short] = [await chain.append({ transactions }), await chain.append({ transactions })];
    await chain.append({ settles: 1 });
    for (let count = 0; count < 260; count++) await chain.append();
    await chain.append({ settles: chain.last.number });
    const rig = await startRig(chain);
    const standing = async (read: Promise<Block>): Promise<string> => standingOf(await read);
    expect(await standing(rig.readFresh(long))).toBe('proved');
    expect(await standing(rig.readFresh(short))).toBe('settling');
    expect(rig.count('eth_getBlockReceipts')).toBe(2);
    await rig.stop();
  });
});
