// SPDX-License-Identifier: Apache-2.0
import type { Block, Transaction, Transfer } from '@chainwatch/chain-core';
import { transactionIdOf } from '@chainwatch/events';
import type { MatchedTransaction, MatchedTransfer } from '../model/matched-transaction.ts';
import { makeTransaction, SILENT } from '../spec-world/spec-chain.ts';
import { partOf } from '../spec-world/spec-unknown.ts';
import type { TransactionState } from '../model/transaction-state.ts';
import { planReprocess } from './plan-reprocess.ts';

const GID = 'eip155:1';
const PROJECT = '00000000-0000-4000-8000-000000000001';
const transfer = (index: number, amountRaw: bigint, content: Partial<Transfer> = {}): Transfer => ({
  index,
  type: 'native',
  assetGid: 'coin',
  from: 'bob',
  to: 'alice',
  amountRaw,
  ...content,
});
const own = (transfers: readonly Transfer[]): MatchedTransfer[] =>
  transfers.map((each) => ({ ...each, monitored: ['alice'] }));

interface Case {
  /** What the record tells; none: there is no record. */
  readonly record?: { readonly transfers: readonly Transfer[] } & Partial<
    Omit<TransactionState, 'transfers'>
  >;
  /** What the block says now; none: it is not there. */
  readonly now?: Partial<Transaction>;
  /** What is unknown stands in the block still. */
  readonly isUnknown?: boolean;
  /** Nobody traced the block. */
  readonly isUntraced?: boolean;
  /** Nobody watches anybody in it. */
  readonly isUnmatched?: boolean;
}

/** What is to be done with the one transaction of a block. */
function plan({ record, now, isUnknown = false, isUntraced = false, isUnmatched = false }: Case): string {
  const transaction = makeTransaction('one', { from: 'bob', ...now });
  const block: Block = {
    number: 7,
    hash: '0x7',
    parentHash: '0x6',
    timestamp: 1,
    transactions: now === undefined ? [] : [transaction],
    balanceChanges: [],
    touchedAssets: [],
    ...(isUnknown ? { unknowns: [partOf('a:b')] } : {}),
    ...(isUntraced ? { leavesOut: 'internal' as const } : {}),
  };
  const match: MatchedTransaction = {
    projectId: PROJECT,
    block,
    transaction,
    transfers: own(transaction.transfers),
    participants: [{ id: 'a', address: 'alice', own: SILENT }],
    direction: 'in',
  };
  const state =
    record &&
    ({
      id: transactionIdOf(PROJECT, GID, transaction.hash),
      projectId: PROJECT,
      hash: transaction.hash,
      status: 'detected',
      direction: 'in',
      epoch: 0,
      isFailed: false,
      verification: 'proved',
      blockNumber: 7,
      blockHash: '0x7',
      requiredConfirmations: 1,
      detectedAt: new Date(0),
      participants: [{ id: 'a', address: 'alice', own: SILENT }],
      ...record,
      transfers: own(record.transfers),
    } satisfies TransactionState);
  const { fresh, grown, proved, undone } = planReprocess({
    chainGid: GID,
    blocks: [block],
    matches: now === undefined || isUnmatched ? [] : [match],
    records: state === undefined ? [] : [state],
  });
  const done = [
    ...fresh.map(() => 'fresh'),
    ...grown.map(
      ({ transfers }) =>
        `grown to ${transfers.map(({ index, amountRaw }) => `${index}:${amountRaw}`).join()}`,
    ),
    ...proved.map(() => 'proved'),
    ...undone.map(() => 'undone'),
  ];
  return done.join(', ') || 'nothing';
}

const one = [transfer(0, 1n)];
const two = [transfer(0, 1n), transfer(1, 2n)];
/** A new one comes first. */
const shifted = [transfer(0, 2n, { type: 'internal' }), transfer(1, 1n)];
const unproved = { verification: 'unproved' } as const;

const withInternal = [transfer(0, 1n), transfer(1, 2n, { type: 'internal', isAttested: true })];

describe('planReprocess', () => {
  it.each<[string, Partial<TransactionState>, boolean, string]>([
    ['agreed, where nobody traced', { verification: 'agreed' }, true, 'nothing'],
    ['trusted, where nobody traced', { verification: 'trusted' }, true, 'nothing'],
    ['agreed, where a node traced', { verification: 'agreed' }, false, 'undone'],
    ['settling, where nobody traced', { verification: 'settling' }, true, 'undone'],
    ['agreed, and of a transaction that failed', { verification: 'agreed', isFailed: true }, true, 'undone'],
  ])('tells what becomes of an internal transfer that is %s', (_what, record, isUntraced, expected) => {
    const told = plan({
      record: { transfers: withInternal, ...record },
      now: { transfers: one },
      isUntraced,
    });
    expect(told.split(', ').includes('undone') ? 'undone' : told).toBe(expected);
  });

  it.each<[string, Case, string]>([
    ['what has no record', { now: { transfers: one } }, 'fresh'],
    [
      'what has no record, though unproved',
      { now: { transfers: one, ...unproved }, isUnknown: true },
      'fresh',
    ],
    [
      'a proved record that says the same',
      { record: { transfers: one }, now: { transfers: one } },
      'nothing',
    ],
    [
      'a proved record that knew less',
      { record: { transfers: one }, now: { transfers: two } },
      'grown to 0:1,1:2',
    ],
    [
      'a proved record whose transfers stand elsewhere now',
      { record: { transfers: one }, now: { transfers: shifted } },
      'grown to 0:2,1:1',
    ],
    [
      'a proved record with a transfer that is none',
      { record: { transfers: two }, now: { transfers: one } },
      'grown to 0:1',
    ],
    [
      'a proved record, where an unproved block says more',
      { record: { transfers: one }, now: { transfers: two, ...unproved }, isUnknown: true },
      'nothing',
    ],
    [
      'a proved record of an address more, where an attested block says the same',
      {
        record: { transfers: one, participants: [] },
        now: { transfers: one, verification: 'attested' },
      },
      'grown to 0:1',
    ],
    [
      'a proved record, where an attested block says more, and something else',
      {
        record: { transfers: one, participants: [] },
        now: { transfers: [transfer(0, 9n)], verification: 'attested' },
      },
      'nothing',
    ],
    [
      'a proved record, where an attested block says more of the same address',
      { record: { transfers: one }, now: { transfers: two, verification: 'attested' } },
      'nothing',
    ],
    [
      'a proved record, where a trace shows more of the same address',
      {
        record: { transfers: one },
        now: {
          transfers: [...one, transfer(1, 2n, { type: 'internal', isAttested: true })],
          verification: 'attested',
        },
      },
      'grown to 0:1,1:2',
    ],
    [
      'a proved record, where a trace shows more, and the rest is another',
      {
        record: { transfers: one },
        now: {
          transfers: [transfer(0, 9n), transfer(1, 2n, { type: 'internal', isAttested: true })],
          verification: 'attested',
        },
      },
      'nothing',
    ],
    [
      'an attested record, where a block that proves the rest shows no internal transfer',
      { record: { transfers: shifted, verification: 'attested' }, now: { transfers: one } },
      'nothing',
    ],
    [
      'an attested record of logs, where a block proves something else',
      { record: { transfers: two, verification: 'attested' }, now: { transfers: one } },
      'fresh, undone',
    ],
    [
      'a proved record that is not in a block with something unknown',
      { record: { transfers: one }, isUnknown: true },
      'nothing',
    ],
    [
      'an unproved record that is proved',
      { record: { transfers: one, ...unproved }, now: { transfers: one } },
      'proved',
    ],
    [
      'an unproved record that is proved while something else in the block is not known',
      { record: { transfers: one, ...unproved }, now: { transfers: one }, isUnknown: true },
      'proved',
    ],
    [
      'an unproved record that knew less',
      { record: { transfers: one, ...unproved }, now: { transfers: two } },
      'grown to 0:1,1:2, proved',
    ],
    [
      'an unproved record of an address that nobody watches any more',
      { record: { transfers: one, ...unproved }, now: { transfers: one }, isUnmatched: true },
      'proved',
    ],
    [
      'an unproved record that told another amount',
      { record: { transfers: [transfer(0, 9n)], ...unproved }, now: { transfers: one } },
      'fresh, undone',
    ],
    [
      'an unproved record of a failed transaction',
      { record: { transfers: one, ...unproved }, now: { transfers: [], isFailed: true } },
      'fresh, undone',
    ],
    [
      'an unproved record of somebody who does not take part',
      {
        record: { transfers: [], ...unproved, participants: [{ id: 'c', address: 'carol', own: SILENT }] },
        now: { transfers: one },
        isUnmatched: true,
      },
      'undone',
    ],
    ['an unproved record of what is not there', { record: { transfers: one, ...unproved } }, 'undone'],
    [
      'an unproved record of what a block with something unknown does not show',
      { record: { transfers: one, ...unproved }, isUnknown: true },
      'nothing',
    ],
    [
      'a confirmed unproved record that is not so',
      { record: { transfers: [transfer(0, 9n)], ...unproved, status: 'confirmed' }, now: { transfers: one } },
      'fresh, undone',
    ],
    [
      'an unproved record that says more, unproved',
      { record: { transfers: one, ...unproved }, now: { transfers: two, ...unproved }, isUnknown: true },
      'grown to 0:1,1:2',
    ],
    [
      'an unproved record that says something else, unproved',
      {
        record: { transfers: one, ...unproved },
        now: { transfers: [transfer(0, 9n)], ...unproved },
        isUnknown: true,
      },
      'nothing',
    ],
    [
      'a confirmed unproved record that says more, unproved',
      {
        record: { transfers: one, ...unproved, status: 'confirmed' },
        now: { transfers: two, ...unproved },
        isUnknown: true,
      },
      'nothing',
    ],
  ])('%s', (_name, given, expected) => {
    expect(plan(given)).toBe(expected);
  });
});
