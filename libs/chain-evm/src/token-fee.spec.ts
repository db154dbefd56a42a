// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import type { Block, Transaction } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { bytesToHex, hexToBytes } from 'viem';
import { encodeReceipt } from './verify-receipts.ts';
import type { CallTrace } from './raw-trace.ts';
import { decodeCallTraces } from './read-traces.ts';
import type { RawLog, RawReceipt, RawTransaction } from './raw-block.ts';
import type { Made } from './spec-block.ts';
import recorded from './vectors/recorded-parts.json' with { type: 'json' };
import { account, makeItem, readMade, transferLog, type Changes } from './spec-read.ts';

// Celo's blocks are generated here: no recorded one with its receipts is at hand. The transaction and the form of the
// receipt are those of recorded ones (types-of-stack.spec.ts, and the receipt below).

const [payer, payee, other, sequencer, handler] = ['a1', 'b2', 'd4', '5e', 'fe'].map(account) as [
  string,
  string,
  string,
  string,
  string,
];
const nobody = account('00');
const token = account('c3');
const adapter = account('ad');
const native = 'eip155:42220/slip44:52752';
const tokenGid = `eip155:42220/erc20:${token}`;

const hex = (value: bigint | number): string => `0x${value.toString(16)}`;

/** What a transaction costs, in the unit of its fee currency. */
interface Cost {
  readonly gas: bigint;
  readonly gasUsed: bigint;
  readonly baseFee: bigint;
  readonly tip: bigint;
  /** Digits that the adapter shows more than the token has; absent: the token is its own fee currency. */
  readonly digits?: number;
}

/** How tokens log what they give back. */
type Form = 'mint, then pay' | 'three mints' | 'payments alone';

/** The logs of the fee around those of the transaction, as Celo's tokens and adapters write them; and what was paid. */
function withFeeLogs(cost: Cost, form: Form, own: readonly RawLog[]): { logs: RawLog[]; paid: bigint } {
  const scale = 10n ** BigInt(cost.digits ?? 0);
  const price = cost.baseFee + cost.tip;
  const taken = (cost.gas * price) / scale;
  const refund = ((cost.gas - cost.gasUsed) * price) / scale;
  const tip = (cost.gasUsed * cost.tip) / scale;
  // What is rounded away goes to the base fee.
  const base = taken - refund - tip;
  const log = (from: string, to: string, amount: bigint): RawLog => transferLog(token, [from, to], amount);
  const paid = tip + base;
  if (form === 'payments alone')
    return { logs: [...own, log(payer, sequencer, tip), log(payer, handler, base)], paid };
  const given =
    form === 'three mints'
      ? [log(nobody, payer, refund), log(nobody, sequencer, tip), log(nobody, handler, base)]
      : [log(nobody, payer, taken), log(payer, sequencer, tip), log(payer, handler, base)];
  return { logs: [log(payer, nobody, taken), ...own, ...given], paid };
}

function item(cost: Cost, logs: readonly RawLog[], over: Partial<Made> = {}): Made {
  return makeItem(
    {
      type: '0x7b',
      chainId: '0xa4ec',
      from: payer,
      to: payee,
      value: '0x0',
      gas: hex(cost.gas),
      maxFeePerGas: hex(cost.baseFee * 2n + cost.tip),
      maxPriorityFeePerGas: hex(cost.tip),
      accessList: [],
      feeCurrency: cost.digits === undefined ? token : adapter,
    },
    {
      logs,
      gas: Number(cost.gasUsed),
      extra: { effectiveGasPrice: hex(cost.baseFee + cost.tip), baseFee: hex(cost.baseFee), l1Fee: '0x0' },
      ...over,
    },
  );
}

const read = (items: readonly Made[], changes?: Changes): Promise<Block> => readMade('celo', items, changes);
const only = async (made: Made, changes?: Changes): Promise<Transaction> =>
  (await read([made], changes)).transactions[0]!;

/** What a block says that each account's balance of the token changed by. */
function sumToken(block: Block): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  const add = (who: string | undefined, amount: bigint): void => {
    if (who !== undefined && who !== nobody) sums.set(who, (sums.get(who) ?? 0n) + amount);
  };
  for (const { transfers, fee } of block.transactions) {
    if (fee?.assetGid === tokenGid) add(fee.payer, -fee.amountRaw);
    for (const { assetGid, from, to, amountRaw } of transfers) {
      if (assetGid !== tokenGid) continue;
      add(from, -amountRaw);
      add(to, amountRaw);
    }
  }
  for (const { assetGid, address, amountRaw = 0n } of block.balanceChanges)
    if (assetGid === tokenGid) add(address, amountRaw);
  return new Map([...sums].filter(([, sum]) => sum !== 0n).toSorted(([a], [b]) => a.localeCompare(b)));
}

/** What the logs say of the same. */
function sumLogs(logs: readonly RawLog[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { topics, data } of logs) {
    const [from, to] = [topics[1]!, topics[2]!].map((topic) => `0x${topic.slice(26)}`) as [string, string];
    sums.set(from, (sums.get(from) ?? 0n) - BigInt(data));
    sums.set(to, (sums.get(to) ?? 0n) + BigInt(data));
  }
  sums.delete(nobody);
  return new Map([...sums].filter(([, sum]) => sum !== 0n).toSorted(([a], [b]) => a.localeCompare(b)));
}

const simple: Cost = { gas: 100_000n, gasUsed: 60_000n, baseFee: 9_000_000_000n, tip: 409_163n };

describe('a fee that is paid in a token (Celo)', () => {
  it.each<[string, Cost, Form]>([
    ['that is minted and paid', simple, 'mint, then pay'],
    ['that is minted to each', simple, 'three mints'],
    ['that logs payments alone', simple, 'payments alone'],
    ['of 6 decimals, through its adapter', { ...simple, digits: 12 }, 'mint, then pay'],
    ['of 6 decimals, with no tip', { ...simple, tip: 0n, digits: 12 }, 'mint, then pay'],
    ['of which nothing is given back', { ...simple, gasUsed: 100_000n }, 'three mints'],
  ])('%s names this token, and is told once', async (_name, cost, form) => {
    const own = [transferLog(token, [payer, other], 7n)];
    const { logs, paid } = withFeeLogs(cost, form, own);
    const block = await read([item(cost, logs)]);
    const [tx] = block.transactions;
    expect(tx?.fee).toEqual({ assetGid: tokenGid, amountRaw: paid, payer });
    expect(tx?.transfers).toEqual([
      {
        index: 0,
        type: 'token',
        assetGid: tokenGid,
        from: payer,
        to: other,
        amountRaw: 7n,
        logIndex: form === 'payments alone' ? 0 : 1,
      },
    ]);
    expect(sumToken(block)).toEqual(sumLogs(logs));
  });

  it('is paid by a transaction that failed, too, which moves nothing else', async () => {
    const { logs, paid } = withFeeLogs(simple, 'mint, then pay', []);
    const tx = await only(item(simple, logs, { isFailed: true }));
    expect(tx).toMatchObject({
      isFailed: true,
      fee: { assetGid: tokenGid, amountRaw: paid },
      transfers: [],
    });
  });

  it('goes to the sequencer and the handler of base fees, whose balances say so', async () => {
    const { logs } = withFeeLogs(simple, 'mint, then pay', []);
    const block = await read([item(simple, logs)]);
    expect(block.balanceChanges.filter(({ assetGid }) => assetGid === tokenGid)).toEqual([
      { address: handler, assetGid: tokenGid, amountRaw: 60_000n * 9_000_000_000n, reason: 'reward' },
      { address: sequencer, assetGid: tokenGid, amountRaw: 60_000n * 409_163n, reason: 'reward' },
    ]);
  });

  it('names who paid and who got it, whose balances no transfer names', async () => {
    const { logs } = withFeeLogs(simple, 'mint, then pay', []);
    const block = await read([item(simple, logs), item(simple, logs, { isFailed: true })]);
    expect(block.mentions).toEqual([{ assetGid: tokenGid, addresses: [payer, handler, sequencer] }]);
    expect(block.touchedAssets).toEqual([]);
    const unseen = await read([item(simple, [])]);
    expect(unseen.mentions).toEqual([]);
  });

  it('takes nothing from the native coin, whatever the receipt says', async () => {
    const { logs } = withFeeLogs(simple, 'mint, then pay', []);
    for (const price of ['0x1', hex(10n ** 18n), undefined]) {
      const tx = await only(item(simple, logs), {
        receipt: (receipt) => ({ ...receipt, effectiveGasPrice: price }),
      });
      // The price follows from what roots cover.
      expect(tx.fee).toMatchObject({ assetGid: tokenGid, amountRaw: 60_000n * 9_000_409_163n });
      expect(tx.fee?.isAttested).toBeUndefined();
    }
  });

  it('that the logs do not show is not told, and what they show is', async () => {
    const logs = [transferLog(token, [payer, nobody], 3n), transferLog(token, [payer, other], 7n)];
    const block = await read([item(simple, logs)]);
    expect(block.transactions[0]?.fee).toBeUndefined();
    expect(sumToken(block)).toEqual(sumLogs(logs));
  });

  it('is native where the transaction names no token', async () => {
    const made = item(simple, []);
    const tx = await only({ ...made, tx: { ...made.tx, feeCurrency: null } });
    expect(tx.fee).toEqual({ assetGid: native, amountRaw: 60_000n * 9_000_409_163n, payer });
  });

  it('leaves the token’s balances as the logs leave them, whatever is paid, and by whom', async () => {
    const amounts = fc.bigInt({ min: 0n, max: 10n ** 20n });
    const people = fc.constantFrom(payer, payee, other, sequencer, handler, nobody);
    const cost = fc
      .record({
        gas: fc.bigInt({ min: 21_000n, max: 10n ** 6n }),
        share: fc.bigInt({ min: 1n, max: 100n }),
        baseFee: fc.bigInt({ min: 10n ** 9n, max: 10n ** 12n }),
        tip: fc.bigInt({ min: 0n, max: 10n ** 9n }),
        digits: fc.constantFrom(undefined, 0, 6, 12),
      })
      .map(({ share, digits, ...rest }) => ({
        ...rest,
        gasUsed: (rest.gas * share) / 100n,
        ...(digits !== undefined && { digits }),
      }));
    const own = fc.array(
      fc.tuple(people, people, amounts).map(([from, to, amount]) => transferLog(token, [from, to], amount)),
      { maxLength: 5 },
    );
    const form = fc.constantFrom<Form>('mint, then pay', 'three mints');
    let isEveryoneTold = 0;
    await fc.assert(
      fc.asyncProperty(cost, own, form, fc.boolean(), async (of, inner, how, isFailed) => {
        const { logs, paid } = withFeeLogs(of, how, isFailed ? [] : inner);
        const block = await read([item(of, logs, { isFailed })]);
        expect(block.transactions[0]?.fee).toEqual({ assetGid: tokenGid, amountRaw: paid, payer });
        expect(sumToken(block)).toEqual(sumLogs(logs));
        isEveryoneTold += block.transactions[0]!.transfers.length;
      }),
      { numRuns: 150, seed: 42_220 },
    );
    expect(isEveryoneTold).toBeGreaterThan(50);
  });
});

describe("the receipt of a transaction that pays in a token (Celo's CIP-64)", () => {
  // celo-org/celo-kona, crates/celo-alloy/consensus/src/receipts: status 0, one log, with and without the base fee.
  const receipt = {
    status: '0x0',
    cumulativeGasUsed: '0x1',
    logsBloom: `0x${'00'.repeat(256)}`,
    logs: [
      {
        address: `0x${'00'.repeat(19)}11`,
        topics: [`0x${'00'.repeat(30)}dead`, `0x${'00'.repeat(30)}beef`],
        data: '0x0100ff',
      },
    ],
  } as unknown as RawReceipt;
  const tx = { type: '0x7b', maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1' } as RawTransaction;

  it('holds the base fee in that token behind its logs', () => {
    const encoded = encodeReceipt({ ...receipt, baseFee: hex(4_445_555) }, tx, 'celo');
    expect(bytesToHex(encoded).slice(0, 14)).toBe('0x7bf9016a8001');
    expect(bytesToHex(encoded).endsWith('8343d573')).toBe(true);
    expect(RLP.decode(encoded.subarray(1)) as Uint8Array[]).toHaveLength(5);
    expect((RLP.decode(encoded.subarray(1)) as Uint8Array[])[4]).toEqual(hexToBytes('0x43d573'));
    expect(bytesToHex(encodeReceipt(receipt, tx, 'celo')).slice(0, 10)).toBe('0x7bf90166');
  });

  const { logs, paid } = withFeeLogs(simple, 'mint, then pay', []);

  it('is refused with another base fee', async () => {
    await expect(only(item(simple, logs), { receipt: (it) => ({ ...it, baseFee: '0x1' }) })).rejects.toThrow(
      'receiptsRoot',
    );
  });

  it('is proved where the node does not tell the base fee, by the price that was paid', async () => {
    const tx = await only(item(simple, logs), { receipt: ({ baseFee: _, ...it }) => it });
    expect(tx).toMatchObject({ fee: { amountRaw: paid } });
    expect(tx.verification).toBeUndefined();
  });

  it('names what is missing where neither tells it: the price is the cap', async () => {
    const made = item(simple, logs);
    const capped = { ...made, tx: { ...made.tx, maxFeePerGas: hex(simple.baseFee + simple.tip) } };
    expect((await only(capped)).fee?.amountRaw).toBe(paid);
    const block = await read([capped], { receipt: ({ baseFee: _, ...it }) => it });
    expect(block.verification).toBe('unproved');
  });
});

describe('CELO that its own contract moves', () => {
  const mirror = '0x471ece3750da237f93b8e339c536989b8978a438';
  const moved = transferLog(mirror, [payer, other], 9n);
  const celo = (tx: Transaction): unknown[] =>
    tx.transfers.map(({ type, from, to, amountRaw, assetGid }) => [type, from, to, amountRaw, assetGid]);

  it('is told once, as the native coin from its sender to its receiver, and is no token', async () => {
    const block = await read([makeItem({ from: payer, to: mirror, value: '0x0' }, { logs: [moved] })]);
    expect(celo(block.transactions[0]!)).toEqual([['internal', payer, other, 9n, native]]);
    expect(block.touchedAssets).toEqual([]);
  });

  it('is in no recorded trace: the precompile that moves it is called with nothing', async () => {
    const { result } = recorded.celo.trace;
    const [trace] = decodeCallTraces({ number: 2, hash: '0x' }, ['0x'], [{ result } as unknown as CallTrace]);
    expect(trace).toEqual({ isFailed: false, transfers: [] });
    const [from, to] = [result.from, `0x${'0'.repeat(36)}dead`] as [string, string];
    const made = makeItem(
      { from, to: mirror, value: '0x0', input: result.input },
      { logs: [transferLog(mirror, [from, to], 100n)] },
    );
    expect(celo(await only(made, { traces: [trace!] }))).toEqual([['internal', from, to, 100n, native]]);
  });

  it('is told beside a payment of the same amount between the same two', async () => {
    const made = makeItem({ from: payer, to: other, value: '0x9' }, { logs: [moved] });
    const traced = [{ from: payer, to: other, amountRaw: 9n }];
    const tx = await only(made, { traces: [{ isFailed: false, transfers: traced }] });
    expect(celo(tx)).toEqual([
      ['native', payer, other, 9n, native],
      ['internal', payer, other, 9n, native],
      ['internal', payer, other, 9n, native],
    ]);
    // The chain proves the log; of the trace there is only the node's word.
    expect(tx.transfers.map(({ isAttested }) => isAttested)).toEqual([undefined, undefined, true]);
  });
});

it('before its second life as a roll-up Celo has blocks of another shape, of which nothing is demanded', async () => {
  const { logs } = withFeeLogs(simple, 'payments alone', []);
  const broken: Changes = { block: (block) => ({ ...block, stateRoot: `0x${'00'.repeat(32)}` }) };
  await expect(read([item(simple, logs)], { ...broken, number: 31_056_500 })).rejects.toThrow('its hash');
  expect((await read([item(simple, logs)], { ...broken, number: 31_056_499 })).transactions).toHaveLength(1);
});
