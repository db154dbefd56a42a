// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { EVENT_SCHEMAS } from '@chainwatch/events';
import type { Block, Transaction } from '@chainwatch/chain-core';
import { hashOf, NATIVE, network, TOKEN } from '@chainwatch/data/testing';
import { buildEvent } from './build-event.ts';
import { collectAddresses, findCandidates } from '../match/find-hits.ts';
import type { WatchedAddress } from '../model/matched-transaction.ts';
import { directionOf, matchTransactions } from '../match/match-transactions.ts';
import { planWrites } from './plan-writes.ts';
import { makeTransaction, SILENT } from '../spec-world/spec-chain.ts';

const POOL = Array.from({ length: 5 }, (_, index) => `0x${String(index).repeat(40)}`);
/** As a family shows an address. */
const toDisplay = (canonical: string): string => canonical.replace('0x', '0X');
const uuid = (index: number): string => `00000000-0000-4000-8000-00000000000${index}`;
const address = fc.constantFrom(...POOL);
const transfer = fc.record({
  type: fc.constantFrom('native' as const, 'internal' as const, 'token' as const),
  from: fc.option(address, { nil: undefined }),
  to: address,
  amountRaw: fc.bigInt(0n, 2n ** 256n - 1n),
});
const transaction = fc
  .record({
    from: fc.option(address, { nil: undefined }),
    payer: fc.option(address, { nil: undefined }),
    isFailed: fc.boolean(),
    transfers: fc.array(transfer, { maxLength: 6 }),
  })
  .map(
    ({ from, payer, isFailed, transfers }): Transaction =>
      makeTransaction('any', {
        from,
        isFailed,
        ...(payer === undefined ? {} : { fee: { assetGid: NATIVE, amountRaw: 21n, payer } }),
        transfers: isFailed
          ? []
          : transfers.map((each, index) => ({
              ...each,
              index,
              assetGid: each.type === 'token' ? TOKEN : NATIVE,
            })),
      }),
  );
/** Who watches what: per project the indexes of POOL, and from which block. */
const watching = fc.array(fc.record({ project: fc.nat(1), address: fc.nat(4), fromBlock: fc.nat(20) }), {
  maxLength: 8,
});

function blockOf(transactions: readonly Transaction[]): Block {
  return {
    number: 10,
    hash: hashOf('block'),
    parentHash: hashOf('parent'),
    timestamp: 1_700_000_000,
    transactions,
    balanceChanges: [],
    touchedAssets: [],
  };
}

function watchedOf(
  entries: readonly { project: number; address: number; fromBlock: number }[],
): Map<string, WatchedAddress[]> {
  const unique = new Map(entries.map((entry) => [`${entry.project}|${entry.address}`, entry]));
  const watched = new Map<string, WatchedAddress[]>();
  for (const entry of unique.values()) {
    const value = POOL[entry.address]!;
    watched.set(value, [
      ...(watched.get(value) ?? []),
      {
        id: uuid(entry.address),
        projectId: uuid(8 + entry.project),
        address: value,
        fromBlock: entry.fromBlock,
        own: SILENT,
      },
    ]);
  }
  return watched;
}

describe('matching', () => {
  it('finds every project whose address takes part at that height, and no other', () => {
    fc.assert(
      fc.property(transaction, watching, (tx, entries) => {
        const watched = watchedOf(entries);
        const block = blockOf([tx]);
        const ends = new Set([tx.from, tx.fee?.payer, ...tx.transfers.flatMap(({ from, to }) => [from, to])]);
        const expected = new Set(
          [...watched.values()]
            .flat()
            .filter((entry) => entry.fromBlock <= 10 && ends.has(entry.address))
            .map((entry) => entry.projectId),
        );
        const candidates = findCandidates(block, watched);
        const matches =
          candidates === undefined
            ? []
            : matchTransactions({ block, transactions: candidates.transactions, watched });
        expect(new Set(matches.map((match) => match.projectId))).toEqual(expected);
        expect(matches).toHaveLength(expected.size);
        const found = new Set<string>();
        if (candidates !== undefined) collectAddresses(candidates, watched, found);
        expect(found).toEqual(new Set([...watched.keys()].filter((key) => ends.has(key))));
      }),
    );
  });

  it('makes events that keep to the schema and add up', () => {
    fc.assert(
      fc.property(transaction, watching, fc.boolean(), (tx, entries, isKnown) => {
        const matches = matchTransactions({
          block: blockOf([tx]),
          transactions: [tx],
          watched: watchedOf(entries),
        });
        const plan = planWrites(
          { retroactive: [], matches, existing: new Map() },
          {
            chainGid: network.gid,
            requiredConfirmations: 3,
            depths: new Map(),
            now: new Date(0),
          },
        );
        for (const { type, state } of plan.events) {
          const event = buildEvent(state, {
            chainGid: network.gid,
            type,
            sequence: 1,
            headNumber: 12,
            createdAt: new Date(0),
            displayOf: toDisplay,
            decimalsOf: (gid) => (gid === NATIVE ? 18 : isKnown ? 6 : undefined),
            isNft: () => false,
          });
          EVENT_SCHEMAS[type].parse(event);
          // A fee in a token whose decimals nobody knows has no amount in whole units.
          const { fee: paid } = event.data.transaction;
          if (paid !== null) expect(paid.amount === null).toBe(paid.asset_gid !== NATIVE && !isKnown);
          const own = new Set(state.participants.map((participant) => participant.address));
          const shown = new Set([...own].map(toDisplay));
          expect(event.data.addresses.map(({ address_id: id }) => id)).toEqual(
            state.participants.map(({ id }) => id),
          );
          expect(event.data.balance_changes.every((change) => shown.has(change.address))).toBe(true);
          for (const moved of event.data.transaction.transfers) {
            expect(moved.monitored_addresses.length).toBeGreaterThan(0);
            expect(
              moved.monitored_addresses.every(
                (each) => shown.has(each) && (each === moved.from || each === moved.to),
              ),
            ).toBe(true);
          }
          // Between the project's own addresses nothing is made or lost: only what crosses its border and fees count.
          const border = state.transfers.reduce(
            (sum, each) =>
              sum +
              (own.has(each.to ?? '') ? each.amountRaw : 0n) -
              (own.has(each.from ?? '') ? each.amountRaw : 0n),
            0n,
          );
          const fee = state.fee?.payer !== undefined && own.has(state.fee.payer) ? state.fee.amountRaw : 0n;
          expect(event.data.balance_changes.reduce((sum, change) => sum + BigInt(change.delta_raw), 0n)).toBe(
            border - fee,
          );
          expect(event.data.transaction.confirmations).toBe(3);
        }
      }),
    );
  });

  it('fits a message of the bus, however many addresses with however much said of them take part', () => {
    const count = 3_000;
    const own = {
      label: '\u0001'.repeat(255),
      groups: Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(64, '\u0002')),
      metadata: { long: 'é'.repeat(2_000) },
    };
    const addresses = Array.from({ length: count }, (_, at) => `0x1${String(at).padStart(39, '0')}`);
    const watched = new Map(
      addresses.map((each, at) => [
        each,
        [
          {
            id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
            projectId: uuid(8),
            address: each,
            fromBlock: 0,
            own,
          },
        ],
      ]),
    );
    const paid = makeTransaction('any', {
      from: POOL[0]!,
      memo: '\u0001'.repeat(1_024),
      // The last ones first.
      transfers: addresses.map((_, index) => ({
        ...{ type: 'token' as const, from: POOL[0]!, assetGid: TOKEN, index },
        ...{ to: addresses[count - 1 - index]!, amountRaw: 2n ** 256n - 1n },
      })),
    });
    const matches = matchTransactions({ block: blockOf([paid]), transactions: [paid], watched });
    const { events } = planWrites(
      { retroactive: [], matches, existing: new Map() },
      { chainGid: network.gid, requiredConfirmations: 3, depths: new Map(), now: new Date(0) },
    );
    const [{ state, type }] = events as [(typeof events)[number]];
    expect(state.participants).toHaveLength(count);
    const event = buildEvent(state, {
      ...{ chainGid: network.gid, type, sequence: 1, headNumber: 12, createdAt: new Date(0) },
      displayOf: toDisplay,
      decimalsOf: () => 18,
      isNft: () => false,
    });
    EVENT_SCHEMAS[type].parse(event);
    // NATS takes 1 MiB, headers included.
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(786_432);
    const { transaction: told, balance_changes, truncated, addresses_truncated } = event.data;
    expect([told.transfers.length, balance_changes.length, truncated, addresses_truncated]).toEqual([
      100,
      100,
      true,
      true,
    ]);
    const ofTransfers = told.transfers.map(({ to }) => to);
    expect(event.data.addresses.length).toBeGreaterThan(20);
    for (const one of [...event.data.addresses, ...balance_changes])
      expect(ofTransfers).toContain(one.address);
  });

  it('calls a swap out, a claim in, a move between own addresses self', () => {
    const own = (from: string, to: string, monitored: string[]) => ({
      index: 0,
      type: 'token' as const,
      assetGid: TOKEN,
      from,
      to,
      amountRaw: 1n,
      monitored,
    });
    expect(directionOf([own('a', 'x', ['a']), own('x', 'a', ['a'])])).toBe('out');
    expect(directionOf([own('x', 'a', ['a'])])).toBe('in');
    expect(directionOf([own('a', 'b', ['a', 'b'])])).toBe('self');
    expect(directionOf([own('a', 'b', ['a', 'b']), own('x', 'a', ['a'])])).toBe('in');
    expect(directionOf([])).toBe('out');
  });
});
