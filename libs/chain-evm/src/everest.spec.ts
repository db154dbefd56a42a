// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { RLP } from '@ethereumjs/rlp';
import { applyFork, hasRecorded, readRecorded, readServed, type Served } from './spec-fork.ts';

if (!hasRecorded) console.log('skipped: Everest (../shared/fixtures/evm is absent)');

// Generated from EIP-8430 as published in September 2026: no such block exists yet.

const [SENDER, PAYER, ALICE, BOB] = ['a1', 'b2', 'c3', 'd4'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
  string,
];
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');

interface Made {
  readonly sender?: string;
  readonly payer?: string;
  /** Receiver and wei. */
  readonly phases: readonly (readonly (readonly [string, number])[])[];
  readonly receipt?: object;
  readonly json?: object;
  readonly fields?: (fields: unknown[]) => unknown[];
}

async function make({
  sender = SENDER,
  payer = '0x',
  phases,
  receipt = {},
  json = {},
  fields,
}: Made): Promise<Served> {
  const recorded = readRecorded('base-2000000');
  const calls = phases.map((phase) => phase.map(([to, value]) => [bytesOf(to), value, '']));
  const list = [
    ...[8453, bytesOf(sender), 0, 0, 0, 0, 1, 2, 100_000, [], calls, ''],
    ...[bytesOf(payer), new Uint8Array(65), new Uint8Array(65)],
  ];
  const raw = Buffer.concat([Buffer.from([0x79]), RLP.encode((fields?.(list) ?? list) as never)]);
  const made = await applyFork(recorded, {
    transaction: { index: 1, raw, json: { type: '0x79', from: SENDER, gas: '0x186a0', ...json } },
  });
  const receipts = made.receipts.map((one, index) =>
    index === 1 ? { ...one, ...receipt, logs: one.logs } : one,
  );
  return { ...made, receipts };
}

/** The second transaction of the block. Its receipt has the gas, the status, and the logs of the recorded one. */
async function read(made: Made, traces?: unknown): Promise<Block['transactions'][number]> {
  const block = await readServed('base', await make(made), { traces });
  expect(block.unknowns).toBeUndefined();
  return block.transactions[1]!;
}

const nativeOf = ({ transfers }: Block['transactions'][number]): unknown[] =>
  transfers
    .filter(({ type }) => type !== 'token')
    .map(({ type, from, to, amountRaw, isAttested = false }) => [
      type,
      from,
      to,
      Number(amountRaw),
      isAttested,
    ]);

(hasRecorded ? describe : describe.skip)('a generated block of Base after Everest', () => {
  it('shows each payment of a transaction, and its sender pays the fee', async () => {
    const tx = await read({
      phases: [
        [
          [ALICE, 5],
          [BOB, 6],
          [BOB, 0],
        ],
      ],
    });
    expect(nativeOf(tx)).toEqual([
      ['native', SENDER, ALICE, 5, false],
      ['native', SENDER, BOB, 6, false],
    ]);
    expect([tx.from, tx.fee?.payer, tx.fee?.isAttested, tx.verification]).toEqual([
      SENDER,
      SENDER,
      undefined,
      undefined,
    ]);
    expect(tx.transfers.map(({ index }) => index)).toEqual(tx.transfers.map((_, index) => index));
    expect(tx.fee?.amountRaw).toBeGreaterThan(0n);
  });

  it('charges the payer that the transaction names', async () => {
    const { fee } = await read({ payer: PAYER, phases: [[[ALICE, 5]]] });
    expect([fee?.payer, fee?.isAttested]).toEqual([PAYER, undefined]);
  });

  it.each([
    [{ payer: PAYER }, PAYER],
    [{}, undefined],
  ])('takes an open payer from the node, if it says who (%j)', async (receipt, expected) => {
    const { fee } = await read({ payer: '0x00', phases: [[[ALICE, 5]]], receipt });
    expect([fee?.payer, fee?.isAttested]).toEqual([expected, expected && true]);
  });

  it('has only the word of a node for a sender that is not named', async () => {
    const tx = await read({ sender: '0x', phases: [[[ALICE, 5]]] });
    expect([tx.from, tx.verification]).toEqual([SENDER, 'attested']);
  });

  it('has only the word of a node for what several phases moved', async () => {
    const phases = [[[ALICE, 5]], [[BOB, 6]]] as const;
    const tx = await read({ phases, receipt: { phaseStatuses: ['0x1', '0x0'] } });
    expect(nativeOf(tx)).toEqual([['native', SENDER, ALICE, 5, true]]);
  });

  it.each<[string, Made]>([
    ['several phases whose outcome nobody tells', { phases: [[[ALICE, 5]], [[BOB, 6]]] }],
    ['one field more', { phases: [[[ALICE, 5]]], fields: (fields) => [...fields, 1] }],
    ['no list of calls', { phases: [], fields: (fields) => fields.with(10, 'x') }],
    ['another sender than the node says', { phases: [[[ALICE, 5]]], json: { from: BOB } }],
  ])('is unproved in that transaction alone, and says so: %s', async (_name, made) => {
    const served = await make(made);
    const block = await readServed('base', served, { takeUnknown: true });
    expect(block.unknowns?.map(({ kind }) => kind)).toEqual(['transaction-form:0x79']);
    expect(block.transactions.map(({ verification }) => verification).filter(Boolean)).toEqual(['unproved']);
    expect(nativeOf(block.transactions[1]!)).toEqual([]);
  });

  it('counts a payment that a trace shows as well once', async () => {
    const served = await make({
      phases: [[[ALICE, 5]], [[BOB, 6]]],
      receipt: { phaseStatuses: ['0x1', '0x1'] },
    });
    const place = { blockHash: served.block.hash, blockNumber: Number(served.block.number) };
    const traces = served.block.transactions.flatMap((tx, transactionPosition) => {
      const head = {
        ...place,
        transactionHash: tx['hash'],
        transactionPosition,
        type: 'call',
        result: { gasUsed: '0x0', output: '0x' },
      };
      const call = (traceAddress: number[], to: unknown, value: string) => ({
        ...head,
        traceAddress,
        subtraces: 0,
        action: {
          callType: 'call',
          from: traceAddress.length === 0 ? tx['from'] : SENDER,
          to,
          value,
          gas: '0x0',
          input: '0x',
        },
      });
      return transactionPosition === 1
        ? [
            { ...call([], ALICE, '0x0'), subtraces: 3 },
            call([0], ALICE, '0x5'),
            call([1], BOB, '0x6'),
            call([2], BOB, '0x6'),
          ]
        : [call([], tx['to'], String(tx['value']))];
    });
    const block = await readServed('base', served, { traces });
    expect(nativeOf(block.transactions[1]!)).toEqual([
      ['native', SENDER, ALICE, 5, true],
      ['native', SENDER, BOB, 6, true],
      ['internal', SENDER, BOB, 6, true],
    ]);
  });

  it('is unknown elsewhere', async () => {
    const served = await make({ phases: [[[ALICE, 5]]] });
    const block = await readServed('optimism', served, { takeUnknown: true });
    expect(block.unknowns?.map(({ kind }) => kind)).toContain('transaction-type:0x79');
  });
});
