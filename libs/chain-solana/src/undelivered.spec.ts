// SPDX-License-Identifier: Apache-2.0
import type { Block, ReadBlockOptions } from '@chainwatch/chain-core';
import { drawBlock } from './spec-block.ts';
import { describeFixtures, readRecordedBlock, slotOf, wholeBlocks } from './spec-fixtures.ts';
import { SpecNode, toAccounts, type Failing } from './spec-node.ts';
import { SpecRandom } from './wire/spec-draw.ts';

// A block that no node gives with its instructions, because a transaction in it makes that form too slow or too large.

const { block: honest } = drawBlock(new SpecRandom(3), 60);
const ref = { number: 449_000_001, hash: honest.blockhash };
const untraced = { takeUntraced: true };
const taken = { takeUntraced: true, takeUnknown: true };
const node = new SpecNode();
let known: Block;
beforeAll(async () => {
  await node.start();
  known = await node.tell(honest).client.readBlock(ref);
});
afterAll(() => node.stop());

const read = (options?: ReadBlockOptions): Promise<Block> => node.client.readBlock(ref, undefined, options);

/** What a transaction tells without its instructions: what each address gained or lost, and no memo. */
function amountsOf({ transactions }: Block): object[] {
  return transactions.map(({ hash, index, isFailed, from, fee, transfers }) => {
    const sums: Record<string, bigint> = {};
    for (const { from: payer = 'nobody', to = 'nobody', assetGid, amountRaw } of transfers) {
      sums[`${assetGid} ${payer}`] = (sums[`${assetGid} ${payer}`] ?? 0n) - amountRaw;
      sums[`${assetGid} ${to}`] = (sums[`${assetGid} ${to}`] ?? 0n) + amountRaw;
    }
    return { hash, index, isFailed, from, fee, sums };
  });
}

function expectTaken(block: Block, whole: Block): void {
  expect(block.unknowns).toMatchObject([{ kind: 'block-form:instructions' }]);
  expect(amountsOf(block)).toEqual(amountsOf(whole));
  const { transactions: _own, unknowns: _unknown, ...rest } = block;
  const { transactions: _all, ...expected } = whole;
  // It is read again until a node gives it whole.
  expect(rest).toEqual({ ...expected, verification: 'unproved' });
  expect(node.asked.at(-1)).toBe('signatures 1');
  expect(new Set(block.transactions.map(({ verification }) => verification))).toEqual(new Set(['unproved']));
  expect(block.transactions.every(({ memo }) => memo === undefined)).toBe(true);
}

it.each<[Failing, object]>([
  ['cut', {}],
  // Long enough for the other form on a busy machine.
  ['late', { timeoutMs: 3_000 }],
  ['large', {}],
])('is refused as before, and taken by its accounts where nobody gives it: %s', async (failing, options) => {
  node.tell(honest, { failing, ...options });
  await expect(read({ takeUnknown: true })).rejects.toMatchObject({ code: 'node_error' });
  expect(node.asked.filter((what) => what.startsWith('accounts'))).toEqual([]);
  await expect(read(untraced)).rejects.toMatchObject({
    code: 'unknown_content',
    unknowns: [{ kind: 'block-form:instructions', expected: 'transactions with their instructions' }],
  });
  expectTaken(await read(taken), known);
});

it('is taken whole where the node gives it', async () => {
  node.tell(honest);
  expect(await read(taken)).toEqual(known);
  expect(node.asked).toEqual(['full 1']);
});

it('is not asked for in another form where the node has no time, or has no such block', async () => {
  for (const [failing, nodeCode] of [
    ['limited', 429],
    ['busy', -32005],
  ] as const) {
    node.tell(honest, { failing });
    await expect(read(taken)).rejects.toMatchObject({ code: 'node_error', nodeCode });
    expect(node.asked).toEqual([`full ${failing}`]);
  }
  node.tell(honest, { failing: 'cut', extra: { blockhash: 'another' } });
  await expect(read(taken)).rejects.toMatchObject({ code: 'block_not_found' });
});

describe('by its accounts', () => {
  const accounts = honest.transactions.map(toAccounts);

  it('is refused where lamports do not add up, and doubted where the leader was paid another amount', async () => {
    const [first] = accounts as [(typeof accounts)[0]];
    const postBalances = first.meta!.postBalances.with(0, Number(first.meta!.postBalances[0]) + 1);
    const meta = { ...first.meta!, postBalances };
    node.tell(honest, { failing: 'cut', accounts: accounts.with(0, { ...first, meta }) });
    await expect(read(taken)).rejects.toMatchObject({
      code: 'incomplete_block',
      message: expect.stringContaining('lamports') as string,
    });
    const rewards = honest.rewards!.map((one) => ({ ...one, lamports: Number(one.lamports) + 1 }));
    node.tell({ ...honest, rewards }, { failing: 'cut' });
    expect((await read(taken)).unknowns).toMatchObject([
      { kind: 'block-form:instructions' },
      { kind: 'leader-reward:fee' },
    ]);
  });

  it('is partial where it names a token program and has no token balances', async () => {
    const at = known.transactions.find(({ isFailed, transfers }) =>
      transfers.some(({ type }) => type === 'token' && !isFailed),
    )!.index;
    const meta = { ...accounts[at]!.meta!, preTokenBalances: null, postTokenBalances: null };
    node.tell(honest, { failing: 'cut', accounts: accounts.with(at, { ...accounts[at]!, meta }) });
    const { transactions } = await read(taken);
    expect(transactions.flatMap(({ partialFor, index }) => (partialFor ? [index] : []))).toEqual([at]);
  });

  it('names a version that is not known, too', async () => {
    const next = accounts.with(2, { ...accounts[2]!, version: 2 });
    node.tell(honest, { failing: 'cut', accounts: next });
    expect((await read(taken)).unknowns).toMatchObject([
      { kind: 'block-form:instructions' },
      { kind: 'transaction-version:2' },
    ]);
  });

  it('is named as well where a node gives it so although it was asked for all', async () => {
    node.tell({ ...honest, transactions: accounts });
    await expect(read()).rejects.toMatchObject({ unknowns: [{ kind: 'block-form:instructions' }] });
  });
});

describeFixtures('undelivered: a real block', () => {
  const recorded = wholeBlocks.filter((name) => name.includes('base64'));

  it.each(recorded)('%s: without its votes, with the same amounts', async (file) => {
    const block = readRecordedBlock(file);
    const at = { number: slotOf(file), hash: block.blockhash };
    const whole = await node.tell(block).client.readBlock(at);
    node.tell(block, { failing: 'cut' });
    const told = await node.client.readBlock(at, undefined, taken);
    expect(amountsOf(told)).toEqual(amountsOf(whole));
    expect(told.unknowns).toMatchObject([{ kind: 'block-form:instructions' }]);
  });
});
