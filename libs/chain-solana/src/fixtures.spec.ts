// SPDX-License-Identifier: Apache-2.0
import { decodeTransaction, decodeBlock } from './decode-block.ts';
import { lamportChanges } from './lamports.ts';
import { parseTransaction } from './parse-transaction.ts';
import type { RawTransaction } from './raw-block.ts';
import {
  deltasOf,
  describeFixtures,
  devnet,
  mainnet,
  readExpected,
  readRecordedBlock,
  readRecordedTransaction,
  singleTransactions,
  slotOf,
  trimmedBlocks,
  wholeBlocks,
  type ExpectedTransaction,
} from './spec-fixtures.ts';
import { verifyBlock } from './verify-block.ts';
import { expectAsLibrary } from './wire/spec-judge.ts';
import type { Network, Transaction } from '@chainwatch/chain-core';

describeFixtures('recorded blocks and transactions', () => {
  it('are there', () => {
    expect([wholeBlocks.length, trimmedBlocks.length, singleTransactions.length]).toEqual([6, 4, 15]);
  });

  it.each(wholeBlocks)(
    '%s: is proved by its fees, and every transaction is what an independent parser found',
    (file) => {
      const raw = readRecordedBlock(file);
      const ref = { number: slotOf(file), hash: raw.blockhash };
      const { transactions, fees, listSignatures } = verifyBlock(ref, {
        chainGid: devnet.gid,
        raw,
        take: (one) => decodeTransaction(devnet, one),
      });
      expect(fees).toBe('proved');
      const count = listSignatures().length;
      const block = decodeBlock(devnet, { ref, raw, transactions, verification: undefined });
      const expected = readExpected(file);
      expect(count).toBe(raw.transactions.length);
      const votes = count - block.transactions.length;
      expect([votes > 0, block.parentNumber, block.parentHash]).toEqual([
        true,
        raw.parentSlot,
        raw.previousBlockhash,
      ]);
      for (const transaction of block.transactions)
        expectSame(transaction, expected[transaction.index]!, devnet);
      const kept = new Set(block.transactions.map(({ index }) => index));
      for (const [index, { solDeltas, feePayer, fee }] of expected.entries())
        if (!kept.has(index)) expect(solDeltas).toEqual({ [feePayer]: String(-fee) });
      expect(block.balanceChanges.map(({ address, amountRaw }) => [address, amountRaw])).toEqual(
        (raw.rewards ?? []).map(({ pubkey, lamports }) => [pubkey, BigInt(lamports)]),
      );
    },
  );

  it.each(wholeBlocks.filter((file) => file.includes('base64')))(
    '%s: a block that lacks any of its transactions is not proved by the reward',
    (file) => {
      const raw = readRecordedBlock(file);
      const ref = { number: slotOf(file), hash: raw.blockhash };
      for (const left of raw.transactions.keys()) {
        const { fees } = verifyBlock(ref, {
          chainGid: devnet.gid,
          raw: { ...raw, transactions: raw.transactions.filter((_, index) => index !== left) },
          take: (one) => one,
        });
        expect(fees).toBe('other');
      }
    },
  );

  it.each(wholeBlocks.filter((file) => file.includes('base64')))(
    '%s: the reader of bytes reads what @solana/web3.js reads',
    (file) => {
      for (const bytes of readBytes(file)) expectAsLibrary(bytes);
    },
  );

  // Those of main network and testnet begin in September 2026; a recording of them is compared as soon as it is there.
  const version1 = wholeBlocks.flatMap(readBytes).filter(([first]) => first === 0x81);
  (version1.length > 0 ? it : it.skip)(
    `the reader of bytes reads what @solana/web3.js reads: ${version1.length} recorded transactions of version 1`,
    () => {
      for (const bytes of version1) expectAsLibrary(bytes);
    },
  );

  it.each(trimmedBlocks)('%s: every transaction is what an independent parser found', (file) => {
    const expected = readExpected(file);
    const { transactions } = readRecordedBlock(file);
    expect(transactions).toHaveLength(expected.length);
    for (const [index, raw] of transactions.entries())
      expectSame(decode(raw, index, mainnet), expected[index]!, mainnet);
  });

  it.each(singleTransactions)('%s: is what an independent parser found', (file) => {
    const network = file.includes('devnet') ? devnet : mainnet;
    expectSame(decode(readRecordedTransaction(file), 0, network), readExpected(file)[0]!, network);
  });

  it('reads the memo of the one payment that has one', () => {
    const memos = singleTransactions.flatMap((file) => {
      const { memo } = decode(readRecordedTransaction(file), 0, mainnet);
      return memo === undefined ? [] : [[file, memo]];
    });
    expect(memos).toEqual([
      ['explorer-devnet-single-sol-memo.getTransaction.json', 'test-single-transfer-receipt'],
    ]);
  });

  it('pairs what a swap moved: by instructions where there is more than one way', () => {
    const shape = (file: string): string[] =>
      decode(readRecordedTransaction(file), 0, mainnet).transfers.map(
        ({ type, from, to, amountRaw }) => `${type} ${from?.slice(0, 4)} ${to?.slice(0, 4)} ${amountRaw}`,
      );
    expect(shape('snap-failed-swap.getTransaction.json')).toEqual([]);
    expect(shape('explorer-mainnet-single-sol.getTransaction.json')).toHaveLength(1);
    expect(shape('snap-swap-sol-to-sahur.getTransaction.json')).toEqual([
      'native FQT9 AjYa 10000000',
      'native FQT9 ASWT 2039280',
      'token 5Q54 FQT9 4036960523',
      'token undefined 5Q54 10000000',
      'token Aafu ASWT 4036960523',
      'token undefined AjYa 10000000',
    ]);
    expect(shape('snap-swap-trump-to-jup.getTransaction.json').slice(0, 7)).toEqual([
      'native 8VCf 57um 2039280',
      'native FpEz 7fib 3679489',
      'token 8VCf 4cLU 437',
      'token 8VCf 3AbG 49563',
      'token FgTC 8VCf 1265445',
      'token AvBS FgTC 3679489',
      'token 3AbG AvBS 543506',
    ]);
  });
});

/** Of the transactions that a recording has in base64. */
function readBytes(file: string): Buffer[] {
  return readRecordedBlock(file).transactions.flatMap(({ transaction }) =>
    Array.isArray(transaction) && transaction[1] === 'base64'
      ? [Buffer.from(transaction[0] as string, 'base64')]
      : [],
  );
}

function decode(raw: RawTransaction, index: number, network: Network): Transaction {
  const tx = parseTransaction(raw);
  const changes = lamportChanges(tx);
  expect(changes.reduce((sum, { delta }) => sum + delta, 0n)).toBe(0n);
  return decodeTransaction(network, { index, tx, changes });
}

function expectSame(transaction: Transaction, expected: ExpectedTransaction, network: Network): void {
  const { solDeltas, tokens } = deltasOf(transaction, network);
  expect([
    transaction.hash,
    transaction.isFailed,
    Number(transaction.fee!.amountRaw),
    transaction.fee!.payer,
  ]).toEqual([expected.signature, expected.failed, expected.fee, expected.feePayer]);
  expect(solDeltas).toEqual(
    Object.fromEntries(Object.entries(expected.solDeltas).filter(([, delta]) => delta !== '0')),
  );
  const owned = Object.fromEntries(
    expected.tokenDeltas
      .filter(({ delta }) => delta !== '0')
      .map(({ owner, mint, delta }) => [`${owner} ${mint}`, delta]),
  );
  expect(tokens).toMatchObject(owned);
  // The remaining differences are those of token accounts themselves, and in sum equal those of their owners.
  const sum = (amounts: readonly string[]): bigint =>
    amounts.reduce((total, amount) => total + BigInt(amount), 0n);
  expect(sum(Object.values(tokens))).toBe(2n * sum(Object.values(owned)));
}
