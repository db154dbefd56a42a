// SPDX-License-Identifier: Apache-2.0
import type { Block, ReadBlockOptions } from '@chainwatch/chain-core';
import { decodeTransaction } from './decode-block.ts';
import { fromBase58 } from './base58-text.ts';
import { parseTransaction, type ParsedTransaction } from './parse-transaction.ts';
import { MEMO_PROGRAMS, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { RawInstruction, RawMeta, RawTransaction } from './raw-block.ts';
import { drawBlock } from './spec-block.ts';
import { devnet, type RecordedBlock } from './spec-fixtures.ts';
import { SpecNode } from './spec-node.ts';
import { lacksTokenBalances } from './token-changes.ts';
import { SpecRandom } from './wire/spec-draw.ts';

// A program may call another one with up to 10 KiB of data, whatever the other one makes of it.

const MEMO_PROGRAM = [...MEMO_PROGRAMS][0]!;
const { block: honest, expected } = drawBlock(new SpecRandom(1), 90);
const ref = { number: 449_000_001, hash: honest.blockhash };
const node = new SpecNode();
beforeAll(() => node.start());
afterAll(() => node.stop());

const read = (options?: ReadBlockOptions): Promise<Block> => node.client.readBlock(ref, undefined, options);
const keysOf = (tx: ParsedTransaction): string[] =>
  Array.from({ length: tx.keyCount }, (_, index) => tx.keyAt(index));

/** The first transaction that names a program, and fits. */
function findOne(program: string, fits: (one: (typeof expected)[number]) => boolean): number {
  return honest.transactions.findIndex(
    (raw, index) => keysOf(parseTransaction(raw)).includes(program) && fits(expected[index]!),
  );
}

/** The block in which a transaction called `program` with that text as its data. */
function withCall(at: number, program: string, data: unknown): RecordedBlock {
  const raw = honest.transactions[at]!;
  const programIdIndex = keysOf(parseTransaction(raw)).indexOf(program);
  const instruction = { programIdIndex, accounts: [0, 1, 2, 3], data } as RawInstruction;
  return withMeta(at, { innerInstructions: [{ instructions: [instruction] }] });
}

function withMeta(at: number, meta: Partial<RawMeta>): RecordedBlock {
  const raw = honest.transactions[at]!;
  return {
    ...honest,
    transactions: honest.transactions.with(at, { ...raw, meta: { ...raw.meta!, ...meta } }),
  };
}

/** Base58 of `first` and a letter up to `length` bytes: the library encodes no more than 2,048. */
function encode(first: readonly number[], length: number): string {
  const bytes = Buffer.concat([Buffer.from(first), Buffer.alloc(length - first.length, 'x')]);
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n)
    text = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[Number(rest % 58n)]! + text;
  return text;
}

/** Two pay two: only instructions say who paid whom. Of tokens, owners and their accounts are told. */
const payTwo = (type: string) => (one: (typeof expected)[number]) => {
  const lines = one.transfers.filter((line) => line.startsWith(type)).map((line) => line.split(' '));
  const two = type === 'native' ? 2 : 4;
  return (
    new Set(lines.map(([, from]) => from)).size === two && new Set(lines.map(([, , to]) => to)).size === two
  );
};
const CASES: readonly [string, number, string, readonly number[]][] = [
  [
    'a memo',
    findOne(MEMO_PROGRAM, ({ isFailed, memo }) => !isFailed && memo !== undefined),
    MEMO_PROGRAM,
    [0x78],
  ],
  ['a memo that failed', findOne(MEMO_PROGRAM, ({ isFailed }) => isFailed), MEMO_PROGRAM, [0x78]],
  ['a transfer of lamports', findOne(SYSTEM_PROGRAM, payTwo('native')), SYSTEM_PROGRAM, [2, 0, 0, 0, 9]],
  ['a transfer of tokens', findOne(TOKEN_PROGRAM, payTwo('token')), TOKEN_PROGRAM, [3, 9]],
];

describe.each(CASES)('a call with long data: %s', (_name, at, program, first) => {
  // 2,999 bytes are the most that the library decodes.
  it.each([1_025, 2_999, 3_000, 10_240])('of %s bytes changes nothing', async (length) => {
    node.tell(honest);
    const known = await read();
    node.tell(withCall(at, program, encode(first, length)));
    expect(await read()).toEqual(known);
  });
});

it('of which the data is read is a memo', async () => {
  const [[, at]] = CASES as [(typeof CASES)[0]];
  const { memo } = expected[at]!;
  node.tell(withCall(at, MEMO_PROGRAM, encode([0x78], 1_023 - Buffer.byteLength(memo!))));
  expect(Buffer.byteLength((await read()).transactions[at]!.memo!)).toBe(1_024);
});

describe('a token instruction that is too long, where the node tells no token balances', () => {
  const at = findOne(TOKEN_PROGRAM, ({ isFailed, transfers }) => !isFailed && transfers.length > 0);
  const make = (balances: readonly [] | null): ParsedTransaction => {
    const tx = parseTransaction(honest.transactions[at]!);
    const programIdIndex = keysOf(tx).indexOf(TOKEN_PROGRAM);
    const message = {
      accountKeys: keysOf(tx),
      instructions: [{ programIdIndex, accounts: [0, 1, 2], data: encode([3, 9], 3_000) }],
    };
    const meta = {
      ...honest.transactions[at]!.meta!,
      ...{ preTokenBalances: balances, postTokenBalances: balances, innerInstructions: [] },
      loadedAddresses: null,
    };
    return parseTransaction({ transaction: { signatures: ['s'], message }, meta, version: 'legacy' });
  };

  it.each([[null], [[]]] as const)('%j: it is partial, with no amount that nobody stated', (balances) => {
    const tx = make(balances);
    const { transfers, partialFor } = decodeTransaction(devnet, { index: 0, tx, changes: [] });
    expect([transfers, partialFor]).toEqual([[], keysOf(tx)]);
    // A sender chose it: no incident about the node.
    expect(lacksTokenBalances(tx)).toBe(false);
  });
});

describe('a transaction whose instructions cannot be read', () => {
  const at = findOne(TOKEN_PROGRAM, payTwo('token'));
  const options = { takeUnknown: true };

  it.each<[string, unknown, RegExp]>([
    ['no Base58', 'O0Il', /RangeError: expected Base58/],
    ['no text', 7, /Error: /],
  ])('is told by its balances, and unproved: %s', async (_what, data, got) => {
    node.tell(honest);
    const known = await read();
    node.tell(withCall(at, TOKEN_PROGRAM, data));
    await expect(read()).rejects.toMatchObject({
      code: 'unknown_content',
      unknowns: [
        {
          kind: 'transaction-form:instruction',
          transactionHash: expected[at]!.hash,
          got: expect.stringMatching(got) as string,
        },
      ],
    });
    const { transactions } = await read(options);
    const { transfers, verification, fee, memo, partialFor } = transactions[at]!;
    expect([verification, memo, partialFor]).toEqual(['unproved', undefined, undefined]);
    expect(fee).toEqual(known.transactions[at]!.fee);
    expect(sums(transfers)).toEqual(sums(known.transactions[at]!.transfers));
    expect(transactions.toSpliced(at, 1)).toEqual(known.transactions.toSpliced(at, 1));
  });

  it('is refused where its balances cannot be read either', async () => {
    const { preTokenBalances } = honest.transactions[at]!.meta!;
    node.tell(
      withMeta(at, { preTokenBalances: [{ ...preTokenBalances![0]!, uiTokenAmount: { amount: 'x' } }] }),
    );
    await expect(read(options)).rejects.toMatchObject({ code: 'incomplete_block' });
  });

  it('is refused where its bytes come as another text than asked for', async () => {
    const raw: RawTransaction = { ...honest.transactions[at]!, transaction: ['1'.repeat(4_097), 'base58'] };
    node.tell({ ...honest, transactions: honest.transactions.with(at, raw) }, { accounts: [] });
    await expect(read(options)).rejects.toMatchObject({ code: 'incomplete_block' });
    expect(() => fromBase58('1'.repeat(4_097))).toThrow(RangeError);
  });
});

/** What each address gained or lost. */
function sums(transfers: Block['transactions'][number]['transfers']): Record<string, bigint> {
  const found: Record<string, bigint> = {};
  for (const { from, to, assetGid, amountRaw } of transfers) {
    if (from !== undefined) found[`${assetGid} ${from}`] = (found[`${assetGid} ${from}`] ?? 0n) - amountRaw;
    if (to !== undefined) found[`${assetGid} ${to}`] = (found[`${assetGid} ${to}`] ?? 0n) + amountRaw;
  }
  return found;
}
