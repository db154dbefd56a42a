// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decodeEventLog, encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem/utils';
import type { Hex } from 'viem';
import { decodeTransferLogs, touchesBalances } from './decode-logs.ts';
import type { ContractLog } from './decode-logs.ts';

const abi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
]);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const amount = fc.bigInt(0n, 2n ** 256n - 1n);

function decode(log: ContractLog) {
  const transfers: Parameters<typeof decodeTransferLogs>[1]['transfers'] = [];
  decodeTransferLogs(
    { tokenGid: (token) => token, account: (account) => account },
    { logs: [log], logIndex: 7, transfers },
  );
  return transfers;
}

describe('a log', () => {
  it('of a transfer tells what viem reads in it', () => {
    fc.assert(
      fc.property(address, address, address, amount, (token, from, to, value) => {
        const topics = encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }) as string[];
        const log = { address: token, topics, data: encodeAbiParameters([{ type: 'uint256' }], [value]) };
        const { args } = decodeEventLog({ abi, topics: topics as [Hex], data: log.data });
        const { from: payer, to: payee, value: paid } = args as { from: Hex; to: Hex; value: bigint };
        expect(decode(log)).toEqual([
          {
            index: 0,
            type: 'token',
            assetGid: token,
            from: payer.toLowerCase(),
            to: payee.toLowerCase(),
            amountRaw: paid,
            logIndex: 7,
          },
        ]);
        expect(touchesBalances(log)).toBe(false);
      }),
    );
  });

  it('of an approval tells nothing of balances, as viem encodes it', () => {
    fc.assert(
      fc.property(address, address, (owner, other) => {
        const approval = encodeEventTopics({ abi, eventName: 'Approval', args: { owner, spender: other } });
        const forAll = encodeEventTopics({
          abi,
          eventName: 'ApprovalForAll',
          args: { owner, operator: other },
        });
        for (const topics of [approval, forAll] as string[][]) {
          const log = { address: owner, topics, data: `0x${'0'.repeat(63)}1` };
          expect([decode(log), touchesBalances(log)]).toEqual([[], false]);
        }
      }),
    );
  });
});

describe('a transfer without indexed members', () => {
  const early = parseAbi(['event Transfer(address from, address to, uint256 value)']);
  const token: Hex = `0x${'0a'.repeat(20)}`;
  const encode = (from: Hex, to: Hex, value: bigint): ContractLog => ({
    address: token,
    topics: encodeEventTopics({ abi: early, eventName: 'Transfer' }) as string[],
    data: encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint256' }],
      [from, to, value],
    ),
  });

  it('tells what viem reads in it', () => {
    fc.assert(
      fc.property(address, address, amount, (from, to, value) => {
        const log = encode(from, to, value);
        expect(decode(log)).toEqual([
          { index: 0, type: 'token', assetGid: token, from, to, amountRaw: value, logIndex: 7 },
        ]);
        expect(touchesBalances(log)).toBe(false);
      }),
    );
  });

  it("tells the accounts in words with TRON's prefix, as its early contracts log them", () => {
    const [from, to]: [Hex, Hex] = [`0x${'0b'.repeat(20)}`, `0x${'0c'.repeat(20)}`];
    const { data, ...log } = encode(from, to, 5n);
    const words = data.replace(`0x${'0'.repeat(24)}`, `0x${'0'.repeat(22)}41`);
    expect(decode({ ...log, data: words })).toMatchObject([{ from, to, amountRaw: 5n }]);
  });

  const [one, two]: [Hex, Hex] = [`0x${'0b'.repeat(20)}`, `0x${'0c'.repeat(20)}`];
  const whole = encode(one, two, 5n);
  it.each<[string, ContractLog]>([
    ['a word that is no account', { ...whole, data: `0x01${whole.data.slice(4)}` }],
    ['another word', { ...whole, data: `${whole.data}${'0'.repeat(64)}` }],
    ['a word too few', { ...whole, data: whole.data.slice(0, 130) }],
    [
      'one indexed member, which may be any of the three',
      {
        ...whole,
        topics: [...whole.topics, `0x${whole.data.slice(2, 66)}`],
        data: `0x${whole.data.slice(66)}`,
      },
    ],
  ])('is none with %s, and its accounts are read', (_name, log) => {
    expect(decode(log)).toEqual([]);
    expect(touchesBalances(log)).toBe(true);
  });
});

describe('a memo', () => {
  const memoAbi = parseAbi([
    'event Memo(address indexed caller, bytes32 indexed memo)',
    'event TransferWithMemo(address indexed from, address indexed to, uint256 amount, bytes32 indexed memo)',
  ]);
  const [token, other, from, to] = ['0a', '0b', '0c', '0d'].map((byte): Hex => `0x${byte.repeat(20)}`) as [
    Hex,
    Hex,
    Hex,
    Hex,
  ];
  const wordOf = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`;
  const transfer = (value = 5n): ContractLog => ({
    address: token,
    topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }) as string[],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  });
  const memo = (word: Hex, at = token): ContractLog => ({
    address: at,
    topics: encodeEventTopics({
      abi: memoAbi,
      eventName: 'Memo',
      args: { caller: from, memo: word },
    }) as string[],
    data: '0x',
  });
  const withMemo = (word: Hex, receiver: Hex = to, value = 5n): ContractLog => ({
    address: token,
    topics: encodeEventTopics({
      abi: memoAbi,
      eventName: 'TransferWithMemo',
      args: { from, to: receiver, memo: word },
    }) as string[],
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  });
  const memosOf = (...logs: readonly ContractLog[]): unknown[] => {
    const transfers: Parameters<typeof decodeTransferLogs>[1]['transfers'] = [];
    decodeTransferLogs(
      { tokenGid: (gid) => gid, account: (account) => account },
      { logs, logIndex: 0, transfers },
    );
    return transfers.map((each) => each.memo);
  };
  const hash: Hex = `0x${'c3'.repeat(32)}`;

  it.each<[string, readonly ContractLog[], readonly unknown[]]>([
    ['is the text in the next log of the token', [transfer(), memo(wordOf('order 1042'))], ['order 1042']],
    [
      'belongs to one transfer each',
      [transfer(), memo(wordOf('a')), transfer(), memo(wordOf('b'))],
      ['a', 'b'],
    ],
    ['of TIP-20 repeats the transfer', [transfer(), withMemo(wordOf('order 7'))], ['order 7']],
    [
      'stands before what else the token says',
      [transfer(), memo(wordOf('x')), memo(wordOf('seized'))],
      ['x'],
    ],
    ['that is no text is told as it is', [transfer(), memo(hash)], [hash]],
    ['may be a number', [transfer(), memo(`0x${'00'.repeat(30)}0412`)], [`0x${'00'.repeat(30)}0412`]],
    ['of zeros is none', [transfer(), memo(`0x${'00'.repeat(32)}`)], [undefined]],
    ['of another contract is none', [transfer(), memo(wordOf('order 1'), other)], [undefined]],
    [
      'behind something else is none',
      [transfer(), { ...memo(hash), topics: [hash] }, memo(wordOf('x'))],
      [undefined],
    ],
    ['before the transfer is none', [memo(wordOf('x')), transfer()], [undefined]],
    ['of TIP-20 for another receiver is none', [transfer(), withMemo(wordOf('x'), other)], [undefined]],
    ['of TIP-20 for another amount is none', [transfer(), withMemo(wordOf('x'), to, 6n)], [undefined]],
    ['with a control is told as it is', [transfer(), memo(wordOf('a\u0001b'))], [wordOf('a\u0001b')]],
  ])('%s', (_name, logs, expected) => expect(memosOf(...logs)).toEqual(expected));
});

describe('the wrapper of the native coin', () => {
  const wrappedAbi = parseAbi([
    'event Deposit(address indexed dst, uint256 wad)',
    'event Withdrawal(address indexed src, uint256 wad)',
  ]);
  const wrapper: Hex = `0x${'ee'.repeat(20)}`;
  const owner: Hex = `0x${'0c'.repeat(20)}`;
  const nobody: Hex = `0x${'00'.repeat(20)}`;
  const word = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);
  const deposit = (value = 5n, at: Hex = wrapper): ContractLog => ({
    address: at,
    topics: encodeEventTopics({ abi: wrappedAbi, eventName: 'Deposit', args: { dst: owner } }) as string[],
    data: word(value),
  });
  const withdrawal = (value = 5n): ContractLog => ({
    address: wrapper,
    topics: encodeEventTopics({ abi: wrappedAbi, eventName: 'Withdrawal', args: { src: owner } }) as string[],
    data: word(value),
  });
  const transfer = (from: Hex, to: Hex, value = 5n): ContractLog => ({
    address: wrapper,
    topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }) as string[],
    data: word(value),
  });
  const other: Hex = `0x${'ef'.repeat(20)}`;
  /** What a Safe logs when it is paid. */
  const received: ContractLog = {
    address: owner,
    topics: encodeEventTopics({
      abi: parseAbi(['event SafeReceived(address indexed sender, uint256 value)']),
      eventName: 'SafeReceived',
      args: { sender: wrapper },
    }) as string[],
    data: word(5n),
  };
  const movesOf = (...logs: readonly ContractLog[]): unknown[] => {
    const transfers: Parameters<typeof decodeTransferLogs>[1]['transfers'] = [];
    decodeTransferLogs(
      { tokenGid: (gid) => gid, account: (account) => account, wrapper },
      { logs, logIndex: 3, transfers },
    );
    return transfers.map(({ from, to, amountRaw, logIndex }) => [from, to, Number(amountRaw), logIndex]);
  };

  it.each<[string, readonly ContractLog[], readonly unknown[]]>([
    ['mints what is deposited', [deposit()], [[nobody, owner, 5, 3]]],
    ['burns what is withdrawn', [withdrawal()], [[owner, nobody, 5, 3]]],
    [
      'tells each of two',
      [deposit(), deposit()],
      [
        [nobody, owner, 5, 3],
        [nobody, owner, 5, 4],
      ],
    ],
    [
      'counts a mint that it logs as well once',
      [deposit(), transfer(nobody, owner)],
      [[nobody, owner, 5, 4]],
    ],
    [
      'counts a burn that it logs before once',
      [transfer(owner, nobody), withdrawal()],
      [[owner, nobody, 5, 3]],
    ],
    [
      'tells a deposit beside a mint of another amount',
      [deposit(), transfer(nobody, owner, 6n)],
      [
        [nobody, owner, 5, 3],
        [nobody, owner, 6, 4],
      ],
    ],
    [
      'tells a deposit before its transfer to somebody else',
      [deposit(), transfer(owner, `0x${'0d'.repeat(20)}`)],
      [
        [nobody, owner, 5, 3],
        [owner, `0x${'0d'.repeat(20)}`, 5, 4],
      ],
    ],
    [
      'counts a burn once when the coin is paid, and its receiver logs that, in between',
      [transfer(owner, nobody), received, withdrawal()],
      [[owner, nobody, 5, 3]],
    ],
    [
      'counts two burns of the same amount twice',
      [transfer(owner, nobody), received, withdrawal(), transfer(owner, nobody), received, withdrawal()],
      [
        [owner, nobody, 5, 3],
        [owner, nobody, 5, 6],
      ],
    ],
    [
      'counts a burn within another one',
      [transfer(owner, nobody), transfer(owner, nobody), withdrawal(), withdrawal()],
      [
        [owner, nobody, 5, 3],
        [owner, nobody, 5, 4],
      ],
    ],
    [
      'tells a transfer to nobody beside a burn that it logs as well',
      [transfer(owner, nobody), transfer(owner, nobody), withdrawal()],
      [
        [owner, nobody, 5, 3],
        [owner, nobody, 5, 4],
      ],
    ],
    [
      'tells a transfer to nobody and every burn where one burn has no transfer: it logs none of them',
      [withdrawal(), transfer(owner, nobody), received, withdrawal()],
      [
        [owner, nobody, 5, 3],
        [owner, nobody, 5, 4],
        [owner, nobody, 5, 6],
      ],
    ],
    [
      'tells a burn beside a transfer of another contract',
      [{ ...transfer(owner, nobody), address: other }, withdrawal()],
      [
        [owner, nobody, 5, 3],
        [owner, nobody, 5, 4],
      ],
    ],
    ['is one contract: others have deposits of another kind', [deposit(5n, `0x${'ef'.repeat(20)}`)], []],
    ['needs the standard form', [{ ...deposit(), data: `${word(5n)}00` }], []],
  ])('%s', (_name, logs, expected) => expect(movesOf(...logs)).toEqual(expected));

  // What happens to the wrapper in one transaction: `inner` runs while the coin is paid.
  interface Step {
    readonly kind: 'wrap' | 'unwrap' | 'pay' | 'foreign';
    readonly amount: number;
    readonly inner: readonly Step[];
  }
  const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
    steps: fc.array(tie('step'), { maxLength: 3, depthIdentifier: 'steps' }),
    step: fc.record({
      kind: fc.constantFrom('wrap', 'unwrap', 'pay', 'foreign'),
      amount: fc.integer({ min: 1, max: 2 }),
      inner: fc.oneof({ depthIdentifier: 'steps', maxDepth: 2 }, fc.constant([]), tie('steps')),
    }),
  }));
  const flatten = (all: readonly Step[]): Step[] => all.flatMap((step) => [step, ...flatten(step.inner)]);
  const someone: Hex = `0x${'0d'.repeat(20)}`;
  /** @param isLogging whether the wrapper logs a transfer with each mint and burn */
  const logsOf = (all: readonly Step[], isLogging: boolean): ContractLog[] =>
    all.flatMap(({ kind, amount, inner }) => {
      const value = BigInt(amount);
      const within = logsOf(inner, isLogging);
      if (kind === 'wrap')
        return [...(isLogging ? [transfer(nobody, owner, value)] : []), deposit(value), ...within];
      if (kind === 'unwrap')
        return [...(isLogging ? [transfer(owner, nobody, value)] : []), ...within, withdrawal(value)];
      return [kind === 'pay' ? transfer(owner, someone, value) : received, ...within];
    });

  it('tells each mint, burn, and payment once, in whatever order its logs stand', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), fc.boolean(), (all, isLogging, isReversed) => {
        const logs = logsOf(all, isLogging);
        const told = movesOf(...(isReversed ? logs.toReversed() : logs)) as [
          string,
          string,
          number,
          number,
        ][];
        const sides = { wrap: [nobody, owner], unwrap: [owner, nobody], pay: [owner, someone], foreign: [] };
        const expected = flatten(all)
          .filter(({ kind }) => kind !== 'foreign')
          .map(({ kind, amount }) => [...sides[kind], amount].join());
        expect(told.map(([from, to, amount]) => [from, to, amount].join()).sort()).toEqual(expected.sort());
      }),
    );
  });
});
