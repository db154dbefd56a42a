// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, UnknownContentError } from '@chainwatch/chain-core';
import type { Block, Transaction } from '@chainwatch/chain-core';
import { computeLogsBloom } from './logs-bloom.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseHeader, parseKnownHeader } from './parse-header.ts';
import type { RawLog } from './raw-block.ts';
import {
  applyFork,
  encodeTyped,
  encodeWithItem,
  hasRecorded,
  readRecorded,
  readServed,
} from './spec-fork.ts';
import type { Fork, JsonReceipt, Served } from './spec-fork.ts';

if (!hasRecorded)
  console.log('skipped: what is not known in recorded blocks (../shared/fixtures/evm is absent)');

interface Recording {
  readonly network: string;
  readonly file: string;
}

function firstWithTokens(block: Block): number {
  return block.transactions.findIndex(
    ({ transfers, from }) => from !== undefined && transfers.some(({ type }) => type === 'token'),
  );
}

/** What Base's EIP-8130 looks like. */
function newKind(network: string, { block }: Served, index: number): Fork {
  const { from, gasPrice } = block.transactions[index]!;
  const raw = encodeTyped(0x7d, ['0x01', Buffer.from(String(from).slice(2), 'hex'), '0xabcdef']);
  return {
    transaction: {
      index,
      raw,
      json: { type: '0x7d', from, gasPrice, tx: { chainId: '0x2105', calls: [[{ to: from, data: '0x' }]] } },
    },
  };
}

function newField({ block }: Served, index: number): Fork {
  const tx = { ...block.transactions[index]! };
  return {
    transaction: { index, raw: encodeWithItem(tx, '0x1234'), json: { ...tx, feePayerHint: '0x1234' } },
  };
}

const kindsOf = (block: Block): string[] => (block.unknowns ?? []).map(({ kind }) => kind);
const unprovedOf = (block: Block): number[] =>
  block.transactions.flatMap(({ verification, index }) => (verification === 'unproved' ? [index] : []));
const everyIndex = (block: Block): number[] => block.transactions.map(({ index }) => index);
const told = (transactions: readonly Transaction[]): unknown[] =>
  transactions.map(({ verification: _, ...rest }) => rest);

async function refusal(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function expectUnknown(network: string, served: Served, kinds: readonly string[]): Promise<Block> {
  const error = await refusal(readServed(network, served));
  expect(error).toBeInstanceOf(UnknownContentError);
  const { unknowns, message } = error as UnknownContentError;
  expect(unknowns.map(({ kind }) => kind)).toEqual(kinds);
  for (const { expected, got } of unknowns) {
    expect(expected.length).toBeGreaterThan(0);
    expect(got.length).toBeGreaterThan(0);
    expect(got.length).toBeLessThanOrEqual(300);
  }
  expect(message).toContain(kinds[0]);
  const block = await readServed(network, served, { takeUnknown: true });
  expect(block.unknowns).toEqual(unknowns);
  return block;
}

const recordings: readonly Recording[] = [
  { network: 'ethereum', file: 'ethereum-17053184-shanghai' },
  { network: 'ethereum', file: 'ethereum-20065008' },
  { network: 'base', file: 'base-2000000' },
  { network: 'polygon', file: 'polygon-43200000' },
];

(hasRecorded ? describe : describe.skip).each(recordings)(
  'in a block of $network ($file)',
  ({ network, file }) => {
    const recorded = hasRecorded ? readRecorded(file) : undefined!;
    let whole: Block;
    let index: number;
    beforeAll(async () => {
      const { transactions } = await readServed(network, recorded);
      whole = { ...(await readServed(network, recorded)), transactions };
      index = firstWithTokens(whole);
      expect(whole.unknowns).toBeUndefined();
      expect(unprovedOf(whole)).toEqual([]);
    });
    const others = (block: Block): readonly Transaction[] =>
      block.transactions.filter((tx) => tx.index !== index);

    describe('a transaction of a type that is not known', () => {
      it('is told as far as it is understood, and everything else is proved where the node gives its encoding', async () => {
        const block = await expectUnknown(
          network,
          await applyFork(recorded, newKind(network, recorded, index)),
          ['transaction-type:0x7d'],
        );
        expect(unprovedOf(block)).toEqual([index]);
        expect(others(block)).toEqual(others(whole));
        const [before, after] = [whole.transactions[index]!, block.transactions[index]!];
        expect(after).toMatchObject({
          from: before.from,
          isFailed: false,
          index,
          verification: 'unproved',
          hash: block.unknowns?.[0]?.transactionHash,
        });
        expect(after.fee).toBeUndefined();
        const tokens = before.transfers.filter(({ type }) => type === 'token');
        expect(after.transfers).toEqual(tokens.map((transfer, at) => ({ ...transfer, index: at })));
      });

      it('leaves every transaction unproved where the node does not', async () => {
        const fork = await applyFork(recorded, newKind(network, recorded, index));
        const block = await expectUnknown(network, { ...fork, raw: new Map() }, ['transaction-type:0x7d']);
        expect(block.verification).toBe('unproved');
        expect(unprovedOf(block)).toEqual(everyIndex(block));
        expect(told(others(block))).toEqual(others(whole));
      });

      it('is not what its raw encoding is of another type, or of another transaction', async () => {
        const fork = await applyFork(recorded, newKind(network, recorded, index));
        for (const raw of [encodeTyped(0x7c, ['0x01']), encodeTyped(0x7d, ['0x02'])]) {
          const lying = {
            ...fork,
            raw: new Map([
              [fork.block.transactions[index]!['hash'] as string, `0x${Buffer.from(raw).toString('hex')}`],
            ]),
          };
          expect(await refusal(readServed(network, lying, { takeUnknown: true }))).toBeInstanceOf(
            IncompleteBlockError,
          );
        }
      });

      it('may lack every member but its hash', async () => {
        const fork = await applyFork(recorded, newKind(network, recorded, index));
        const bare = (tx: object, at: number): object =>
          at === index
            ? { type: '0x7d', hash: (tx as { hash: string }).hash, to: [], value: 5, from: '0x12' }
            : tx;
        const block = await readServed(
          network,
          { ...fork, block: { ...fork.block, transactions: fork.block.transactions.map(bare) as never } },
          { takeUnknown: true },
        );
        expect(block.transactions[index]).toMatchObject({ isFailed: false, verification: 'unproved' });
        expect(block.transactions[index]).not.toHaveProperty('from');
      });
    });

    it('a field of a transaction that is not known is named, and the transaction alone is unproved where its encoding is given', async () => {
      const fork = await applyFork(recorded, newField(recorded, index));
      const block = await expectUnknown(network, fork, ['transaction-field:feePayerHint']);
      expect(unprovedOf(block)).toEqual([index]);
      expect(others(block)).toEqual(others(whole));
      const blind = await expectUnknown(network, { ...fork, raw: new Map() }, [
        'transaction-field:feePayerHint',
      ]);
      expect(unprovedOf(blind)).toEqual(everyIndex(blind));
    });

    it.each<[string, Fork]>([
      ['receipt-field:gasRefunded', { receipt: { gasRefunded: '0x1234' } }],
      ['log-field:originChain', { log: { originChain: '0x1234' } }],
      ['header-field:historyRoot', { header: { historyRoot: '0x1234' } }],
    ])('%s is named, and what it covers is unproved', async (kind, fork) => {
      const block = await expectUnknown(network, await applyFork(recorded, fork), [kind]);
      expect(unprovedOf(block)).toEqual(everyIndex(block));
      expect(told(block.transactions)).toEqual(whole.transactions);
      expect(block.touchedAssets).toEqual(whole.touchedAssets);
    });

    it('several that are not known are all named', async () => {
      const fork = await applyFork(recorded, {
        ...newKind(network, recorded, index),
        header: { historyRoot: '0x1234', other: '0x5678' },
      });
      await expectUnknown(network, fork, [
        'header-field:historyRoot',
        'header-field:other',
        'transaction-type:0x7d',
      ]);
    });

    it('a header with a member that is not known is followed, but not as it is pushed', async () => {
      const traits = readTraits(evmNetworks.find(({ name }) => name === network)!);
      const { block } = await applyFork(recorded, { header: { historyRoot: '0x1234' } });
      expect(parseHeader({ ...block }, traits)).toEqual({
        number: Number(block.number),
        hash: block.hash,
        parentHash: block['parentHash'],
        timestamp: Number(block['timestamp']),
      });
      expect(parseKnownHeader({ ...block }, traits)).toBeUndefined();
      expect(() => parseHeader({ ...block, historyRoot: undefined }, traits)).toThrow(IncompleteBlockError);
    });

    it('members that are in no encoding are nothing that is not known', async () => {
      const more = {
        ...recorded,
        block: {
          ...recorded.block,
          weather: 'fine',
          transactions: recorded.block.transactions.map((tx) => ({ ...tx, mood: '0x1' })),
        },
        receipts: recorded.receipts.map((receipt) => ({ ...receipt, mood: '0x1' })),
      };
      const block = await readServed(network, more as Served);
      expect(block.unknowns).toBeUndefined();
      expect(block.transactions).toEqual(whole.transactions);
    });

    describe('is no excuse: refused, whatever is taken, is a node that', () => {
      const forks: readonly [string, (served: Served) => Fork][] = [
        ['a type', (served) => newKind(network, served, index)],
        ['a field', (served) => newField(served, index)],
        ['a receipt field', () => ({ receipt: { gasRefunded: '0x1234' } })],
        ['a log field', () => ({ log: { originChain: '0x1234' } })],
        ['a header member', () => ({ header: { historyRoot: '0x1234' } })],
      ];
      const lies: readonly [string, (served: Served) => unknown][] = [
        ['lacks a receipt', ({ receipts }) => receipts.pop()],
        ['lacks every receipt', ({ receipts }) => receipts.splice(0)],
        [
          'has receipts of another block',
          ({ receipts }) => receipts.forEach((receipt) => (receipt['blockHash'] = `0x${'ab'.repeat(32)}`)),
        ],
        [
          'lacks a log that no other hides in the bloom',
          ({ receipts }) => receipts.find(showsLastLog)!.logs.pop(),
        ],
        [
          'lacks a log and its bloom',
          ({ receipts }) => Object.assign(withLogs(receipts), { logs: [], logsBloom: null }),
        ],
        [
          'altered a value',
          ({ block }) =>
            (block.transactions.find((tx, at) => at !== index && tx['type'] !== '0x7e')!['value'] = '0x77'),
        ],
        ['altered a gas', ({ receipts }) => (receipts[0]!['gasUsed'] = '0x1')],
        ['tells another block', ({ block }) => (block.hash = `0x${'ab'.repeat(32)}`)],
      ];
      it.each(forks.flatMap(([what, fork]) => lies.map(([lie, tell]) => [lie, what, fork, tell] as const)))(
        '%s, beside %s',
        async (_, __, fork, tell) => {
          const served = structuredClone(await applyFork(recorded, fork(recorded)));
          const ref = structuredClone(served);
          tell(served);
          for (const raw of [served.raw, new Map<string, string>()]) {
            const error = await refusal(readServedAs(network, { ...served, raw }, ref));
            expect(error).toBeInstanceOf(IncompleteBlockError);
          }
        },
      );
    });

    describe('proves nothing for a node that makes it up', () => {
      const amount = (receipts: readonly JsonReceipt[]): unknown =>
        (withLogs(receipts).logs.find(({ data }) => data.length === 66)!.data = `0x${'0'.repeat(62)}99`);
      const pretexts: readonly [string, (served: Served) => unknown][] = [
        [
          'a field, for a value',
          ({ block }) => Object.assign(block.transactions[index]!, { value: '0x77', madeUp: '0x1' }),
        ],
        [
          'a type, for a value',
          ({ block }) => Object.assign(block.transactions[index]!, { value: '0x77', type: '0x55' }),
        ],
        [
          'a receipt field, for an amount',
          ({ receipts }) => [amount(receipts), Object.assign(receipts[0]!, { madeUp: '0x1' })],
        ],
        [
          'a log field, for an amount',
          ({ receipts }) => [amount(receipts), Object.assign(withLogs(receipts).logs[0]!, { madeUp: '0x1' })],
        ],
        [
          'a type, for an amount',
          ({ block, receipts }) => [
            amount(receipts),
            Object.assign(block.transactions[index]!, { type: '0x55' }),
          ],
        ],
        [
          'a header member, for a root',
          ({ block }) => Object.assign(block, { stateRoot: `0x${'ab'.repeat(32)}`, madeUp: '0x1' }),
        ],
        [
          'a header member, for a parent',
          ({ block }) => Object.assign(block, { parentHash: `0x${'ab'.repeat(32)}`, madeUp: '0x1' }),
        ],
      ];
      it.each(pretexts)('%s', async (_, tell) => {
        const served = structuredClone(recorded);
        tell(served);
        expect(await refusal(readServed(network, served))).toBeInstanceOf(UnknownContentError);
        const block = await readServed(network, served, { takeUnknown: true });
        expect(unprovedOf(block)).toEqual(everyIndex(block));
        expect(kindsOf(block).length).toBeGreaterThan(0);
      });

      it('any number of them', async () => {
        const served = structuredClone(recorded);
        Object.assign(
          served.block,
          { stateRoot: `0x${'ab'.repeat(32)}` },
          Object.fromEntries(
            Array.from({ length: 1_000 }, (_, at) => [
              `made "up" ${at} ${'x'.repeat(100)}`,
              'y'.repeat(1_000),
            ]),
          ),
        );
        const error = (await refusal(readServed(network, served))) as UnknownContentError;
        expect(error.unknowns.length).toBeLessThanOrEqual(8);
        for (const { kind } of error.unknowns) expect(kind).toMatch(/^header-field:\w{1,67}$/);
      });
    });
  },
);

(hasRecorded ? describe : describe.skip)('in a block with traces', () => {
  it('a transaction of a type that is not known shows what it had others pay', async () => {
    const recorded = readRecorded('ethereum-13998626-london');
    const index = 2;
    const fork = await applyFork(recorded, newKind('ethereum', recorded, index));
    const [from, to] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
    const traces = fork.block.transactions.flatMap(({ hash }, at) => {
      const step = {
        type: 'call',
        action: { callType: 'call', from, to, value: '0x9' },
        blockHash: fork.block.hash,
        transactionHash: hash,
      };
      return [{ ...step, traceAddress: [] }, ...(at === index ? [{ ...step, traceAddress: [0] }] : [])];
    });
    const block = await readServed('ethereum', fork, { takeUnknown: true, traces });
    expect(unprovedOf(block)).toEqual([index]);
    expect(block.transactions[index]?.transfers.at(-1)).toMatchObject({
      type: 'internal',
      from,
      to,
      amountRaw: 9n,
    });
  });
});

(hasRecorded ? describe : describe.skip)('Polygon', () => {
  it('has state syncs in its blocks, which are known where the node gives their encoding', async () => {
    const recorded = readRecorded('polygon-43200000');
    const zero = `0x${'00'.repeat(20)}`;
    const raw = encodeTyped(0x7f, ['0x01', '0xabcd']);
    const json = {
      type: '0x7f',
      from: zero,
      to: zero,
      value: '0x0',
      input: '0x',
      gas: '0x0',
      gasPrice: '0x0',
    };
    const fork = await applyFork(recorded, { transaction: { index: 1, raw, json } });
    const block = await readServed('polygon', fork);
    expect(block.unknowns).toBeUndefined();
    expect(block.transactions[1]).toMatchObject({ isFailed: false });
    expect(block.transactions[1]?.from).toBeUndefined();
    expect((await readServed('polygon', { ...fork, isByPlace: true })).unknowns).toBeUndefined();
    await expectUnknown('polygon', { ...fork, raw: new Map() }, ['transaction-type:0x7f']);
  });
});

(hasRecorded ? describe : describe.skip)('Avalanche', () => {
  // A block with Avalanche's own header fields, over recorded transactions.
  const own = {
    extDataHash: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    blockExtraData: '0x',
    extDataGasUsed: '0x0',
    blockGasCost: '0x0',
    baseFeePerGas: '0x7',
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
    timestampMilliseconds: '0x19a0',
    minDelayExcess: '0x5',
    withdrawalsRoot: null,
    withdrawals: null,
  };
  const marker = {
    targetExponent: '0x1',
    minPriceExponent: '0x2',
    settledHeight: '0x3',
    settledGasUnix: '0x4',
    settledGasNumerator: '0x5',
    settledExcess: '0x6',
  };
  const recorded = hasRecorded ? readRecorded('ethereum-13998626-london') : undefined!;
  const make = (header: object, fork: Fork = {}): Promise<Served> =>
    applyFork({ ...recorded, block: { ...recorded.block, ...own, ...header } as Served['block'] }, fork);

  it.each([
    ['as its headers were before Helicon', {}],
    [
      'with a marker that is all zero',
      { ...marker, ...zero(['settledHeight', 'settledGasUnix', 'settledGasNumerator', 'settledExcess']) },
    ],
    ['with a part of the marker', { ...marker, settledExcess: null }],
  ])('is proved by its own root %s', async (_, header) => {
    const block = await readServed('avalanche', await make(header));
    expect([block.unknowns, block.verification, unprovedOf(block)]).toEqual([undefined, undefined, []]);
    const other = await applyFork(await make(header), { receipt: { ofOthers: '0x1234' } });
    await expectUnknown('avalanche', other, ['receipt-field:ofOthers']);
  });

  it('waits for the header that settles it, without anything unknown', async () => {
    const block = await readServed('avalanche', await make(marker));
    expect([block.unknowns, block.verification]).toEqual([undefined, 'settling']);
    expect(new Set(block.transactions.map(({ verification }) => verification))).toEqual(
      new Set(['settling']),
    );
    const lying = await make(marker);
    lying.block.transactions[3]!['value'] = '0x77';
    expect(await refusal(readServed('avalanche', lying, { takeUnknown: true }))).toBeInstanceOf(
      IncompleteBlockError,
    );
  });

  it('leaves a transaction of a type that is not known unproved, while the others wait', async () => {
    const fork = newKind('avalanche', recorded, 2);
    const block = await expectUnknown('avalanche', await make(marker, fork), ['transaction-type:0x7d']);
    expect(unprovedOf(block)).toEqual([2]);
    expect(block.transactions.filter(({ verification }) => verification === 'settling')).toHaveLength(
      block.transactions.length - 1,
    );
    const blind = await expectUnknown('avalanche', { ...(await make(marker, fork)), raw: new Map() }, [
      'transaction-type:0x7d',
    ]);
    expect(unprovedOf(blind)).toEqual(everyIndex(blind));
  });

  it('is refused where known fields are encoded otherwise, and goes on where there are more', async () => {
    const { minPriceExponent: _, ...fewer } = marker;
    const other = await make(fewer);
    const lying = { ...other, block: { ...other.block, minPriceExponent: '0x2' } };
    expect(await refusal(readServed('avalanche', lying, { takeUnknown: true }))).toBeInstanceOf(
      IncompleteBlockError,
    );
    for (const fields of [own, marker]) {
      const block = await expectUnknown(
        'avalanche',
        await make(fields, { header: { quorumHash: '0x1234' } }),
        ['header-field:quorumHash'],
      );
      expect(unprovedOf(block)).toEqual(everyIndex(block));
    }
  });
});

function zero(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '0x0']));
}

function withLogs(receipts: readonly JsonReceipt[]): JsonReceipt {
  return receipts.find(({ logs }) => logs.some(({ data }) => data.length === 66))!;
}

function showsLastLog({ logs, logsBloom }: JsonReceipt): boolean {
  return (
    logs.length > 0 && computeLogsBloom([{ logs: logs.slice(0, -1) as unknown as RawLog[] }]) !== logsBloom
  );
}

/** Reads the block that `ref` was, with everything taken. */
function readServedAs(network: string, served: Served, ref: Served): Promise<Block> {
  return readServed(network, served, { takeUnknown: true, asked: ref });
}
