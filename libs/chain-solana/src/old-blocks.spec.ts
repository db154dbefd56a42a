// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import type { Transaction } from '@chainwatch/chain-core';
import { decodeTransaction } from './decode-block.ts';
import { lamportChanges } from './lamports.ts';
import { parseTransaction, type ParsedTransaction } from './parse-transaction.ts';
import { lacksTokenBalances } from './token-changes.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './programs.ts';
import type { RawMeta, RawTokenBalance, RawTransaction } from './raw-block.ts';
import { drawBlock } from './spec-block.ts';
import { describeFixtures, mainnet, readRecordedBlock } from './spec-fixtures.ts';
import { SpecRandom } from './wire/spec-draw.ts';

// Generated in the shape of old blocks: no node at hand keeps whole ones. The recorded block at the end has no owners.

/** 32 bytes of a letter. */
const key = (letter: string): string => base58.encode(Buffer.alloc(32, letter));
const [wallet, other, mint, theirs, ours] = ['W', 'O', 'M', 'A', 'B'].map(key) as [
  string,
  string,
  string,
  string,
  string,
];
const FOREIGN = key('F');

interface Call {
  readonly program?: string;
  readonly accounts: readonly string[];
  readonly data: readonly number[];
}

const u64 = (value: number): number[] => [...new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)];
const transfer = (from: string, to: string, amount: number, by = other): Call => ({
  accounts: [from, to, by],
  data: [3, ...u64(amount)],
});
const transferChecked = (from: string, to: string, amount: number, by = other): Call => ({
  accounts: [from, mint, to, by],
  data: [12, ...u64(amount), 6],
});
const open = (account: string, owner: string, of = mint): Call => ({
  accounts: [account, of, owner, key('R')],
  data: [1],
});
const close = (account: string, to: string, by: string): Call => ({ accounts: [account, to, by], data: [9] });
const approve = (account: string, owner: string): Call => ({
  accounts: [account, key('D'), owner],
  data: [4, ...u64(1)],
});
const handOver = (account: string, from: string, to: string): Call => ({
  accounts: [account, from],
  data: [6, 2, 1, ...base58.decode(to)],
});
const associate = (account: string, owner: string): Call => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [other, account, owner, mint, SYSTEM_PROGRAM, TOKEN_PROGRAM],
  data: [],
});

interface Shape {
  readonly balances?: 'null' | 'empty' | readonly [readonly RawTokenBalance[], readonly RawTokenBalance[]];
  /** Accounts with lamports after it alone, and before it alone. */
  readonly created?: readonly string[];
  readonly closed?: readonly string[];
  readonly inner?: RawMeta['innerInstructions'];
  readonly err?: unknown;
}

/** As `decodeTransaction` reads a transaction of one signer with these calls. */
const decode = (calls: readonly Call[], shape: Shape = {}): Transaction =>
  decodeTransaction(mainnet, { index: 0, tx: make(calls, shape), changes: [] });

function make(
  calls: readonly Call[],
  { balances = 'null', created = [], closed = [], inner = [], err = null }: Shape,
): ParsedTransaction {
  const keys = [
    ...new Set([other, ...calls.flatMap(({ program = TOKEN_PROGRAM, accounts }) => [...accounts, program])]),
  ];
  const [pre, post] = balances === 'null' ? [null, null] : balances === 'empty' ? [[], []] : balances;
  const amounts = (missing: readonly string[]) => keys.map((one) => (missing.includes(one) ? 0 : 10));
  const meta: RawMeta = {
    err,
    fee: 0,
    preBalances: amounts(created),
    postBalances: amounts(closed),
    preTokenBalances: pre,
    postTokenBalances: post,
    innerInstructions: inner,
  };
  const message = {
    accountKeys: keys,
    instructions: calls.map(({ program = TOKEN_PROGRAM, accounts, data }) => ({
      programIdIndex: keys.indexOf(program),
      accounts: accounts.map((one) => keys.indexOf(one)),
      data: base58.encode(Uint8Array.from(data)),
    })),
  };
  return parseTransaction({ transaction: { signatures: ['s'], message }, meta, version: 'legacy' });
}

const entryOf = (account: string, amount: number, keys: readonly string[]): RawTokenBalance => ({
  accountIndex: keys.indexOf(account),
  mint,
  uiTokenAmount: { amount: String(amount) },
});

const linesOf = ({ transfers }: Transaction): string[] =>
  transfers
    .filter(({ type }) => type === 'token')
    .map(({ from, to, amountRaw, assetGid }) => {
      expect(assetGid).toBe(`${mainnet.gid}/token:${mint}`);
      return `${from ?? '?'} > ${to ?? '?'} ${amountRaw}`;
    });
const isPartial = ({ partialFor }: Transaction): boolean => partialFor !== undefined;

describe('a node that leaves out token balances', () => {
  it.each(['null', 'empty'] as const)('is found by an account that was there before (%s)', (balances) => {
    const shape = { balances };
    expect(lacksTokenBalances(make([transfer(theirs, ours, 7)], shape))).toBe(true);
    expect(lacksTokenBalances(make([open(ours, wallet), transfer(theirs, ours, 7)], shape))).toBe(true);
    expect(lacksTokenBalances(make([transfer(theirs, ours, 7), close(theirs, wallet, other)], shape))).toBe(
      true,
    );
  });

  it('is found by entries without owners', () => {
    const calls = [transfer(theirs, ours, 7)];
    const keys = [other, theirs, ours, other];
    const entries = [entryOf(theirs, 7, keys)];
    expect(lacksTokenBalances(make(calls, { balances: [entries, entries] }))).toBe(true);
    const owned = entries.map((entry) => ({ ...entry, owner: wallet }));
    expect(lacksTokenBalances(make(calls, { balances: [owned, owned] }))).toBe(false);
  });

  /** What anybody can send to an honest node: an account of wrapped coins that passes, and gets lamports behind it. */
  it('is not suspected for an account that passes, whatever lamports it gets', () => {
    const passing = [
      open(ours, wallet, NATIVE_MINT),
      transfer(ours, ours, 0, wallet),
      close(ours, wallet, wallet),
    ];
    const calls = [
      ...passing,
      { program: SYSTEM_PROGRAM, accounts: [other, ours], data: [2, 0, 0, 0, ...u64(890_880)] },
    ];
    const tx = make(calls, { balances: 'empty', created: [ours] });
    expect(decodeTransaction(mainnet, { index: 0, tx, changes: [] }).partialFor).toBeDefined();
    expect(lacksTokenBalances(tx)).toBe(false);
    expect(lacksTokenBalances(make([approve(ours, wallet)], { balances: 'empty' }))).toBe(false);
  });
});

describe.each(['null', 'empty'] as const)('a block without token balances (%s)', (balances) => {
  it('tells a payment to an account that the transaction creates, to its owner and to the account', () => {
    const told = decode([open(ours, wallet), transfer(theirs, ours, 7)], { balances, created: [ours] });
    expect(linesOf(told)).toEqual([`? > ${wallet} 7`, `${theirs} > ${ours} 7`]);
    // The payer's account may be the wallet's, too: nobody says whose it is.
    expect(told.partialFor).toEqual(expect.arrayContaining([wallet, other, theirs, ours]));
  });

  it('is whole where both owners are certain', () => {
    const calls = [approve(theirs, other), associate(ours, wallet), transferChecked(theirs, ours, 7)];
    const told = decode(calls, { balances, created: [ours] });
    expect(linesOf(told)).toEqual([`${other} > ${wallet} 7`, `${theirs} > ${ours} 7`]);
    expect(isPartial(told)).toBe(false);
  });

  it('takes no authority for the owner: it may be a delegate', () => {
    const told = decode([transferChecked(theirs, ours, 7, wallet)], { balances });
    expect(linesOf(told)).toEqual([`${theirs} > ${ours} 7`]);
    expect(isPartial(told)).toBe(true);
  });

  it('tells no asset that no instruction names', () => {
    const told = decode([transfer(theirs, ours, 7, wallet)], { balances });
    expect(linesOf(told)).toEqual([]);
    expect(told.partialFor).toContain(wallet);
  });

  it('learns the asset from any account that moved tokens with it', () => {
    const third = key('C');
    const calls = [transfer(theirs, ours, 7), transfer(ours, third, 3, wallet), approve(ours, wallet)];
    expect(linesOf(decode([...calls, transferChecked(third, key('E'), 1)], { balances }))).toEqual(
      expect.arrayContaining([`? > ${wallet} 4`]),
    );
    expect(linesOf(decode(calls, { balances }))).toEqual([]);
  });

  it('mints and burns', () => {
    const calls = [
      open(ours, wallet),
      { accounts: [mint, ours, other], data: [7, ...u64(9)] },
      { accounts: [ours, mint, wallet], data: [8, ...u64(4)] },
    ];
    const told = decode(calls, { balances, created: [ours] });
    expect(linesOf(told)).toEqual([`? > ${wallet} 5`, `? > ${ours} 5`]);
    expect(isPartial(told)).toBe(false);
  });

  it.each([
    ['an account changes hands', [handOver(ours, wallet, other)]],
    ['wrapped coins come with an account', [open(ours, wallet, NATIVE_MINT)]],
    ['an account of an unknown asset is closed', [close(ours, wallet, wallet)]],
    ['an instruction is not known', [{ accounts: [ours, wallet], data: [99] }, approve(ours, wallet)]],
  ])('does not know the amount where %s', (_what, calls) => {
    const told = decode(calls, { balances });
    expect(linesOf(told)).toEqual([]);
    expect(told.partialFor).toContain(wallet);
  });

  it('is whole where no tokens move, and where the transaction failed', () => {
    const pay = { program: SYSTEM_PROGRAM, accounts: [other, wallet], data: [2, 0, 0, 0, ...u64(1)] };
    expect(isPartial(decode([pay], { balances }))).toBe(false);
    expect(isPartial(decode([approve(ours, wallet)], { balances }))).toBe(false);
    expect(isPartial(decode([transfer(theirs, ours, 7)], { balances, err: { InstructionError: [] } }))).toBe(
      false,
    );
  });

  it('is whole where every token account comes and goes with the transaction, as in newer blocks', () => {
    const calls = [
      open(ours, wallet, NATIVE_MINT),
      transfer(ours, theirs, 7, wallet),
      open(theirs, other, NATIVE_MINT),
      close(ours, wallet, wallet),
      close(theirs, other, other),
    ];
    const told = decode(calls, { balances, created: [ours, theirs], closed: [ours, theirs] });
    expect([linesOf(told), isPartial(told)]).toEqual([[], false]);
  });
});

it('may lack calls that the node did not record', () => {
  const call = { program: FOREIGN, accounts: [ours, wallet, TOKEN_PROGRAM], data: [1] };
  expect(isPartial(decode([call], { inner: null }))).toBe(true);
  expect(isPartial(decode([call], { inner: [] }))).toBe(false);
  // Without the token program nothing moves tokens.
  expect(isPartial(decode([{ ...call, accounts: [ours, wallet] }], { inner: null }))).toBe(false);
});

it('takes no amount of Token-2022 from an instruction: its mint may withhold a fee', () => {
  const told = decode([
    { ...transferChecked(theirs, ours, 7), program: TOKEN_2022_PROGRAM },
    approve(ours, wallet),
  ]);
  expect([linesOf(told), isPartial(told)]).toEqual([[], true]);
});

describe('token balances without owners', () => {
  const withBalances = (
    calls: readonly Call[],
    amounts: Readonly<Record<string, readonly [number, number]>>,
    shape: Shape = {},
  ): Transaction => {
    const keys = [
      ...new Set([
        other,
        ...calls.flatMap(({ program = TOKEN_PROGRAM, accounts }) => [...accounts, program]),
      ]),
    ];
    const at = (position: 0 | 1) =>
      Object.entries(amounts).map(([account, pair]) => entryOf(account, pair[position], keys));
    return decode(calls, { ...shape, balances: [at(0), at(1)] });
  };

  it('have the owner that an instruction names', () => {
    const told = withBalances(
      [approve(theirs, other), open(ours, wallet), transfer(theirs, ours, 7)],
      { [theirs]: [10, 3], [ours]: [0, 7] },
      { created: [ours] },
    );
    expect(linesOf(told)).toEqual([`${other} > ${wallet} 7`, `${theirs} > ${ours} 7`]);
    expect(isPartial(told)).toBe(false);
  });

  it('are told by accounts alone where none is named', () => {
    const told = withBalances([transfer(theirs, ours, 7)], { [theirs]: [10, 3], [ours]: [0, 7] });
    expect(linesOf(told)).toEqual([`${theirs} > ${ours} 7`]);
    expect(told.partialFor).toContain(ours);
  });

  it('go over with their account', () => {
    const told = withBalances([handOver(ours, other, wallet)], { [ours]: [5, 5] });
    expect(linesOf(told)).toEqual([`${other} > ${wallet} 5`]);
    expect(isPartial(told)).toBe(false);
    const twice = withBalances([handOver(ours, other, theirs), handOver(ours, theirs, wallet)], {
      [ours]: [5, 5],
    });
    expect([linesOf(twice), isPartial(twice)]).toEqual([[], true]);
  });

  it('have no certain owner where an instruction with too much data may have given the account away', () => {
    const calls = [approve(theirs, other), approve(ours, wallet), transfer(theirs, ours, 7)];
    const amounts = { [theirs]: [10, 3], [ours]: [0, 7] } as const;
    expect(linesOf(withBalances(calls, amounts))).toContain(`${other} > ${wallet} 7`);
    const { data } = handOver(ours, wallet, key('X'));
    const long = { accounts: [ours, wallet], data: [...data, ...Array<number>(1_100).fill(7)] };
    const told = withBalances([...calls, long], amounts);
    expect([linesOf(told).some((line) => line.includes(wallet)), isPartial(told)]).toEqual([false, true]);
  });

  it('have no certain owner while calls are hidden', () => {
    const calls = [approve(theirs, other), open(ours, wallet), transfer(theirs, ours, 7)];
    const foreign = { program: FOREIGN, accounts: [ours], data: [1] };
    const amounts = { [theirs]: [10, 3], [ours]: [0, 7] } as const;
    expect(isPartial(withBalances([...calls, foreign], amounts, { created: [ours], inner: null }))).toBe(
      true,
    );
  });

  it('are no concern where nothing of them changed', () => {
    const told = withBalances([transfer(theirs, ours, 0)], { [theirs]: [10, 10], [ours]: [1, 1] });
    expect([linesOf(told), isPartial(told)]).toEqual([[], false]);
  });
});

it.each([
  ['no token balances', () => null],
  ['no owners', (list: RawMeta['preTokenBalances']) => list?.map(({ owner: _, ...rest }) => rest)],
])(
  'drawn blocks with %s tell nothing that is false, and name whom they keep something from',
  (_what, strip) => {
    let kept = 0;
    for (let seed = 1; seed <= 20; seed += 1) {
      const { block, expected } = drawBlock(new SpecRandom(seed), 36);
      for (const [index, raw] of block.transactions.entries()) {
        const meta: RawMeta = {
          ...raw.meta!,
          preTokenBalances: strip(raw.meta!.preTokenBalances),
          postTokenBalances: strip(raw.meta!.postTokenBalances),
        };
        const tx = parseTransaction({ ...raw, meta } as RawTransaction);
        const told = decodeTransaction(mainnet, { index, tx, changes: lamportChanges(tx) });
        const lines = told.transfers.map(
          ({ type, from, to, amountRaw }) => `${type} ${from} ${to} ${amountRaw}`,
        );
        const truth = expected[index]!.transfers;
        expect(truth).toEqual(expect.arrayContaining(lines));
        const hidden = truth.filter((line) => !lines.includes(line));
        expect(isPartial(told)).toBe(hidden.length > 0);
        // Who signs is named; a receiver's wallet is not in the transaction.
        for (const line of hidden) expect(told.partialFor).toContain(line.split(' ')[1]);
        kept += hidden.length;
      }
    }
    expect(kept).toBeGreaterThan(0);
  },
);

describeFixtures('recorded at slot 100,000,000, without owners', () => {
  const block = readRecordedBlock('mainnet-100000000-trimmed4.getBlock.json');
  const raw = block.transactions.find(({ meta }) => (meta?.postTokenBalances ?? []).length > 0)!;
  const tx = parseTransaction(raw);
  const told = decodeTransaction(mainnet, { index: 0, tx, changes: lamportChanges(tx) });

  it('the transfer is told between its accounts, and that their owners are not known', () => {
    const [one, another] = [tx.keyAt(7), tx.keyAt(8)];
    expect(told.transfers.map(({ from, to, amountRaw }) => [from, to, amountRaw])).toEqual([
      [one, another, 1_242_000_000n],
    ]);
    expect(told.partialFor).toEqual(expect.arrayContaining([tx.keyAt(0), one, another]));
  });
});
