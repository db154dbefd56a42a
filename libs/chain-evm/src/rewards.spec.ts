// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import type { BalanceChange } from '@chainwatch/chain-core';
import { decodeRewards } from './read-traces.ts';
import type { ParityTrace } from './raw-trace.ts';
import { assemble, fixedItems } from './spec-block.ts';
import type { Made } from './spec-block.ts';
import { readServed } from './spec-fork.ts';
import type { JsonBlock, JsonReceipt, Served } from './spec-fork.ts';

// What blocks pay beyond their transactions: Gnosis' bridge mints, block and uncle rewards of before the Merge.

const CONTRACT = '0x481c034c6d9441db23ea48de68bcae812c5d39ba';
const ADDED_RECEIVER = '0x3c798bbcf33115b42c728b8504cff11dd58736e9fa789f1cda2738db7d696b2a';
const RECEIVER = `0x${'fe'.repeat(20)}`;
const NUMBER = 40_000_000;

async function make(items: readonly Made[]): Promise<Served> {
  const { body, receipts } = await assemble(items, NUMBER);
  const resultOf = <T>(text: string): T => (JSON.parse(text) as { result: T }).result;
  return { block: resultOf<JsonBlock>(body), receipts: resultOf<JsonReceipt[]>(receipts), raw: new Map() };
}

function traceOf({ block }: Served, rewards: readonly object[]): unknown[] {
  const own = { blockHash: block.hash, blockNumber: NUMBER, traceAddress: [], subtraces: 0, result: null };
  return [
    ...block.transactions.map(({ hash, from, to }) => ({
      ...own,
      type: 'call',
      action: { callType: 'call', from, to, value: '0x5' },
      transactionHash: hash,
    })),
    ...rewards.map((action) => ({ ...own, type: 'reward', action, transactionHash: null })),
  ];
}

const external = {
  author: RECEIVER.toUpperCase().replace('X', 'x'),
  rewardType: 'external',
  value: '0xde0b6b3a7640000',
};
const miner = `0x${'56'.repeat(20)}`;
const paid = (changes: readonly BalanceChange[]): unknown[] =>
  changes
    .filter(({ address }) => address !== miner)
    .map(({ address, amountRaw, reason }) => [address, amountRaw, reason]);
const ordered: Made = {
  ...fixedItems()[0]!,
  logs: [
    {
      address: CONTRACT,
      topics: [
        ADDED_RECEIVER,
        `0x${'0'.repeat(24)}${RECEIVER.slice(2)}`,
        `0x${'0'.repeat(24)}${'b1'.repeat(20)}`,
      ],
      data: `0x${(7n * 10n ** 18n).toString(16).padStart(64, '0')}`,
    },
  ],
};

describe('on Gnosis', () => {
  it.each([
    ['with transactions', fixedItems().slice(0, 3)],
    ['without a transaction', []],
  ])('the mints that traces tell of a block %s are balance changes', async (_, items) => {
    const served = await make(items);
    const none = { ...external, value: '0x0' };
    const block = await readServed('gnosis', served, { traces: traceOf(served, [external, none]) });
    expect(paid(block.balanceChanges)).toEqual([[RECEIVER, 10n ** 18n, 'reward']]);
    expect(block.transactions).toHaveLength(items.length);
  });

  it('rewards in the traces of another block are refused', async () => {
    const served = await make([]);
    const [trace] = traceOf(served, [external]) as object[];
    await expect(
      readServed('gnosis', served, { traces: [{ ...trace, blockHash: `0x${'0'.repeat(64)}` }] }),
    ).rejects.toMatchObject({ code: 'block_not_found' });
  });

  it("a node that does not trace tells the bridge's orders in proved logs", async () => {
    const block = await readServed('gnosis', await make([ordered]));
    expect(paid(block.balanceChanges)).toEqual([[RECEIVER, 7n * 10n ** 18n, 'reward']]);
    // The same log on another network means nothing.
    expect(paid((await readServed('ethereum', await make([ordered]))).balanceChanges)).toEqual([]);
  });

  it('an order is not counted beside the mint that traces tell', async () => {
    const served = await make([ordered]);
    const block = await readServed('gnosis', served, { traces: traceOf(served, [external]) });
    expect(paid(block.balanceChanges)).toEqual([[RECEIVER, 10n ** 18n, 'reward']]);
  });
});

it('blocks without transactions are traced only where they may pay', async () => {
  const served = await make([]);
  const traces = traceOf(served, [external]);
  expect(paid((await readServed('ethereum', served, { traces })).balanceChanges)).toEqual([]);
  expect(paid((await readServed('bsc', served, { traces })).balanceChanges)).toEqual([]);
});

const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
(existsSync(folder) ? describe : describe.skip)('recorded rewards of before the Merge', () => {
  it.each([
    ['ethereum-2000044.trace_block.json', [['0x61c808d82a3ac53231750dadc13c777b59310bd9', 5n * 10n ** 18n]]],
    ['ethereum-15537393.trace_block.json', [['0x829bd824b016326a401d083b33d092293333a830', 2n * 10n ** 18n]]],
  ])('%s', (file, wanted) => {
    const json = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
      response?: { result: ParityTrace[] };
      result?: ParityTrace[];
    };
    const rewards = decodeRewards(json.response?.result ?? json.result ?? []);
    expect(rewards.map(({ address, amountRaw }) => [address, amountRaw])).toEqual(wanted);
  });
});
