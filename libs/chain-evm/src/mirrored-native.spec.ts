// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { ETHER_LOG_ADDRESS } from './decode-logs.ts';
import { parseAssetPath } from './evm-family.ts';
import { readTokens } from './evm-client.ts';
import { readTraits } from './networks.ts';
import type { RawLog } from './raw-block.ts';
import type { InternalTransfer } from './read-traces.ts';
import type { Session } from './session.ts';
import type { Made } from './spec-block.ts';
import { account, makeItem, networkNamed, readMade, transferLog } from './spec-read.ts';

// Arc's blocks are generated: no recorded one is at hand. What its logs are is in circlefin/arc-node: every move of USDC is
// logged at 0xff…fe in 18 decimals; moves by the ERC-20 are logged a second time, by it, in 6.

const mirror = '0x3600000000000000000000000000000000000000';
const native = 'eip155:5042/slip44:5042';
const token = account('c3');
const people = ['a1', 'b2', 'd4', 'e5'].map(account);
const unit = 10n ** 12n;

/** What somebody does on Arc, in one transaction. */
type Step =
  | { readonly kind: 'call'; readonly from: number; readonly to: number; readonly amount: bigint }
  | { readonly kind: 'erc20'; readonly from: number; readonly to: number; readonly units: bigint }
  | { readonly kind: 'token'; readonly from: number; readonly to: number; readonly amount: bigint };

interface History {
  /** The transaction's own payment. */
  readonly value: bigint;
  readonly steps: readonly Step[];
  readonly isTraced: boolean;
}

const at = (index: number): string => people[index]!;
const transfer = (contract: string, from: number, to: number, amount: bigint): RawLog =>
  transferLog(contract, [at(from), at(to)], amount);

/** The chain: what it moves, and what it logs of that. Nothing is logged of what stays, or is nothing. */
function run({ value, steps }: History): {
  readonly balances: Map<string, bigint>;
  readonly logs: readonly RawLog[];
  readonly traced: readonly InternalTransfer[];
} {
  const balances = new Map(people.map((who) => [who, 0n]));
  const logs: RawLog[] = [];
  const traced: InternalTransfer[] = [];
  const move = (from: number, to: number, amount: bigint): void => {
    balances.set(at(from), balances.get(at(from))! - amount);
    balances.set(at(to), balances.get(at(to))! + amount);
    if (from !== to && amount > 0n) logs.push(transfer(ETHER_LOG_ADDRESS, from, to, amount));
  };
  move(0, 1, value);
  for (const step of steps) {
    if (step.kind === 'call') {
      move(step.from, step.to, step.amount);
      if (step.amount > 0n) traced.push({ from: at(step.from), to: at(step.to), amountRaw: step.amount });
    } else if (step.kind === 'erc20') {
      move(step.from, step.to, step.units * unit);
      logs.push(transfer(mirror, step.from, step.to, step.units));
    } else logs.push(transfer(token, step.from, step.to, step.amount));
  }
  return { balances, logs, traced };
}

function make(history: History): Made {
  return makeItem(
    { from: at(0), to: at(1), value: `0x${history.value.toString(16)}`, type: '0x0' },
    { logs: run(history).logs },
  );
}

const read = (histories: readonly History[]): Promise<Block> =>
  readMade('arc', histories.map(make), {
    ...(histories.every(({ isTraced }) => isTraced) && {
      traces: histories.map((history) => ({ isFailed: false, transfers: run(history).traced })),
    }),
  });

/** What a block says that each balance changed by, without fees. */
function sum({ transactions }: Block, assetGid: string): Map<string, bigint> {
  const sums = new Map(people.map((who) => [who, 0n]));
  for (const { transfers } of transactions)
    for (const { from, to, amountRaw, assetGid: of } of transfers) {
      if (of !== assetGid) continue;
      if (from !== undefined) sums.set(from, (sums.get(from) ?? 0n) - amountRaw);
      if (to !== undefined) sums.set(to, (sums.get(to) ?? 0n) + amountRaw);
    }
  return sums;
}

const person = fc.integer({ min: 0, max: 3 });
const amount = fc.bigInt({ min: 0n, max: 10n ** 24n });
const step = fc.oneof(
  fc.record({ kind: fc.constant('call' as const), from: person, to: person, amount }),
  fc.record({
    kind: fc.constant('erc20' as const),
    from: person,
    to: person,
    units: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  }),
  fc.record({ kind: fc.constant('token' as const), from: person, to: person, amount }),
);
const history = fc.record({ value: amount, steps: fc.array(step, { maxLength: 6 }), isTraced: fc.boolean() });

describe('USDC on Arc, which is its native coin and a token', () => {
  it('is told once, in 18 decimals, by whichever way it moves', async () => {
    const wrong = { systemAlone: 0, tokenAlone: 0, both: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 3 }), async (histories) => {
        const truth = new Map(people.map((who) => [who, 0n]));
        for (const { balances } of histories.map(run))
          for (const [who, change] of balances) truth.set(who, truth.get(who)! + change);
        const block = await read(histories);
        expect(sum(block, native)).toEqual(truth);
        // The token that mirrors it is no asset; another token is.
        const assets = new Set(
          block.transactions.flatMap(({ transfers }) => transfers.map(({ assetGid }) => assetGid)),
        );
        assets.delete(native);
        assets.delete(`eip155:5042/erc20:${token}`);
        expect([...assets]).toEqual([]);
        expect(block.touchedAssets).toEqual([]);
        // Other ways of counting are wrong, or this test shows nothing.
        const logs = histories.flatMap((one) => run(one).logs);
        const count = (of: readonly string[]): Map<string, bigint> => {
          const sums = new Map(people.map((who) => [who, 0n]));
          for (const { address, topics, data } of logs) {
            if (!of.includes(address)) continue;
            const scaled = BigInt(data) * (address === mirror ? unit : 1n);
            const [from, to] = [topics[1]!, topics[2]!].map((topic) => `0x${topic.slice(26)}`) as [
              string,
              string,
            ];
            sums.set(from, sums.get(from)! - scaled);
            sums.set(to, sums.get(to)! + scaled);
          }
          return sums;
        };
        const isWrong = (sums: Map<string, bigint>): number =>
          people.some((who) => sums.get(who) !== truth.get(who)) ? 1 : 0;
        wrong.systemAlone += isWrong(count([ETHER_LOG_ADDRESS]));
        wrong.tokenAlone += isWrong(count([mirror]));
        wrong.both += isWrong(count([ETHER_LOG_ADDRESS, mirror]));
      }),
      { numRuns: 200, seed: 5042 },
    );
    expect(wrong.systemAlone).toBe(0);
    expect(wrong.tokenAlone).toBeGreaterThan(50);
    expect(wrong.both).toBeGreaterThan(50);
  });

  it('keeps the places of logs, and of what is told, with traces and without', async () => {
    const steps: readonly Step[] = [
      { kind: 'erc20', from: 0, to: 2, units: 7n },
      { kind: 'token', from: 2, to: 3, amount: 1n },
      { kind: 'call', from: 1, to: 3, amount: 5n },
      { kind: 'erc20', from: 1, to: 1, units: 3n },
    ];
    const [plain, traced] = await Promise.all(
      [false, true].map((isTraced) => read([{ value: 9n, steps, isTraced }])),
    );
    expect(traced?.transactions).toEqual(plain?.transactions);
    expect(
      plain?.transactions[0]?.transfers.map(({ type, from, to, amountRaw, logIndex }) => [
        type,
        from,
        to,
        amountRaw,
        logIndex,
      ]),
    ).toEqual([
      ['native', at(0), at(1), 9n, undefined],
      ['token', at(2), at(3), 1n, 3],
      ['internal', at(0), at(2), 7n * unit, undefined],
      ['internal', at(1), at(3), 5n, undefined],
    ]);
  });
});

it('USDC that is minted and burned on Arc is told once, from and to nobody', async () => {
  const nobody = `0x${'0'.repeat(40)}`;
  const log = (contract: string, from: string, to: string, amount: bigint): RawLog =>
    transferLog(contract, [from, to], amount);
  const logs = [
    log(ETHER_LOG_ADDRESS, nobody, at(2), 5n * unit),
    log(mirror, nobody, at(2), 5n),
    log(ETHER_LOG_ADDRESS, at(2), nobody, 2n * unit),
    log(mirror, at(2), nobody, 2n),
  ];
  const block = await readMade('arc', [makeItem({ from: at(0), to: mirror, value: '0x0' }, { logs })]);
  expect(
    block.transactions[0]?.transfers.map(({ assetGid, from, to, amountRaw }) => [
      assetGid,
      from,
      to,
      amountRaw,
    ]),
  ).toEqual([
    [native, nobody, at(2), 5n * unit],
    [native, at(2), nobody, 2n * unit],
  ]);
});

describe('a contract by which the native coin is also a token', () => {
  const names = ['arc', 'celo', 'polygon'];

  it.each(names)('means the native coin where an asset is named on %s', (name) => {
    const network = networkNamed(name);
    const { nativeTokenContract } = readTraits(network);
    for (const path of [
      `erc20:${nativeTokenContract}`,
      `erc20:0x${nativeTokenContract!.slice(2).toUpperCase()}`,
    ])
      expect(parseAssetPath(network, path)).toBe(network.native!.gid);
    expect(parseAssetPath(network, `erc20:${token}`)).toBe(`${network.gid}/erc20:${token}`);
  });

  it.each(names)('is no token on %s, and no node is asked about it', async (name) => {
    const network = networkNamed(name);
    const traits = readTraits(network);
    const session = {
      network,
      traits,
      capabilities: { hasMulticall: false },
      transport: {
        callMany: (calls: readonly unknown[]) => {
          expect(calls).toEqual([]);
          return Promise.resolve([]);
        },
      },
    } as unknown as Session;
    expect(
      await readTokens(session, { assetGids: [`${network.gid}/erc20:${traits.nativeTokenContract}`] }),
    ).toEqual([undefined]);
  });
});
