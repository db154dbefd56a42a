// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import { readTraces } from './read-traces.ts';
import type { Session } from './session.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import { assemble, type Case } from './spec-block.ts';
import { account, makeItem, readCase, transferLog, type Changes } from './spec-read.ts';

// HyperEVM's blocks are generated: no recorded one is at hand. The two views are those that its nodes serve.

type Json = Record<string, unknown>;

const native = 'eip155:999/slip44:2457';
const [user, payee, token] = ['a1', 'b2', 'c3'].map(account) as [string, string, string];
const hypeSystem = `0x${'2'.repeat(40)}`;
const tokenSystem = `0x20${'0'.repeat(35)}1f3`;
const logs = [transferLog(token, [user, payee], 6n)];
const items = [
  makeItem({ from: user, to: payee, value: '0x5', nonce: '0x1' }, { logs, gas: 60_000 }),
  makeItem({ from: user, to: payee, value: '0x7', nonce: '0x2' }, { gas: 21_000 }),
];
const plain = await assemble(items, 5_000, { stack: 'hyperevm' });

const system = (nonce: number, tx: Json): Json => ({
  type: '0x0',
  hash: `0x${`0${nonce}`.repeat(32)}`,
  nonce: `0x${nonce}`,
  gas: '0x30d40',
  gasPrice: '0x0',
  value: '0x0',
  input: '0x',
  v: '0x7f2',
  r: '0x1',
  s: tx['from'],
  ...tx,
});
/** HYPE for one account, and a token for another. */
const payments = [
  system(1, { from: hypeSystem, to: payee, value: '0x64' }),
  system(2, { from: tokenSystem, to: token }),
];
const paid = [transferLog(token, [tokenSystem, user], 8n)];

/** The same block as nodes serve it that keep the payments from HyperCore. */
function withSystem(of: Case, txs: readonly Json[] = payments): Case {
  const json = <T>(text: string): T => (JSON.parse(text) as { result: T }).result;
  const block = json<Json & { hash: string; transactions: Json[] }>(of.body);
  const at = (index: number): string => `0x${index.toString(16)}`;
  const transactions = [...txs.map((tx) => ({ ...tx, blockHash: block.hash })), ...block.transactions].map(
    (tx, index) => ({ ...tx, transactionIndex: at(index) }),
  );
  const own = txs.map((tx, index) => {
    const its = index === 1 ? paid : [];
    return {
      transactionHash: tx['hash'],
      blockHash: block.hash,
      from: tx['from'],
      to: tx['to'],
      status: '0x1',
      cumulativeGasUsed: '0x0',
      gasUsed: '0x0',
      logs: its,
      logsBloom: computeLogsBloom([{ logs: its }]),
    };
  });
  const receipts = [...own, ...json<Json[]>(of.receipts)].map((receipt, index) => ({
    ...receipt,
    transactionIndex: at(index),
  }));
  return {
    ref: of.ref,
    body: JSON.stringify({ result: { ...block, transactions } }),
    receipts: JSON.stringify({ result: receipts }),
  };
}

const read = (of: Case, changes?: Changes): Promise<Block> => readCase('hyperevm', of, changes);

describe('a block of HyperEVM', () => {
  it('is proved in both views, and what the roots cover is the same in both', async () => {
    const [without, whole] = [await read(plain), await read(withSystem(plain))];
    expect(without.transactions).toHaveLength(2);
    const bare = ({ transactions }: Block) =>
      transactions.map(({ signature: _, ...transaction }) => transaction);
    expect(bare(whole).slice(0, 2)).toEqual(bare(without));
    expect(whole.hash).toBe(without.hash);
    expect(whole.transactions.map(({ verification }) => verification)).toEqual([
      undefined,
      undefined,
      'attested',
      'attested',
    ]);
  });

  it('tells the payments from HyperCore behind them, sent by nobody, without a fee', async () => {
    const [hype, other] = (await read(withSystem(plain))).transactions.slice(2);
    expect(hype).toEqual({
      hash: payments[0]!['hash'],
      index: 2,
      isFailed: false,
      to: payee,
      verification: 'attested',
      transfers: [
        { index: 0, type: 'native', assetGid: native, from: hypeSystem, to: payee, amountRaw: 100n },
      ],
    });
    expect(other).toMatchObject({
      index: 3,
      transfers: [
        {
          type: 'token',
          assetGid: `eip155:999/erc20:${token}`,
          from: tokenSystem,
          to: user,
          amountRaw: 8n,
          logIndex: 1,
        },
      ],
    });
    expect(other?.fee).toBeUndefined();
  });

  it('is told of the traces of what its roots cover', async () => {
    const inner = { from: payee, to: token, amountRaw: 3n };
    const traces = [inner, inner].map((transfer) => ({ isFailed: false, transfers: [transfer] }));
    const { transactions } = await read(withSystem(plain), { traces });
    expect(
      transactions.map(({ transfers }) => transfers.filter(({ type }) => type === 'internal').length),
    ).toEqual([1, 1, 0, 0]);
  });

  it.each(['trace_block', 'debug_hash'] as const)(
    'is traced by a node that traces the payments, too (%s)',
    async (kind) => {
      const [hashes, system] = [['0xa', '0xb'], payments.map(({ hash }) => String(hash))];
      const inner = { from: payee, to: token, value: '0x3' };
      const call = (value: object) => ({ type: 'CALL', from: user, to: payee, value: '0x0', ...value });
      const answers = {
        trace_block: [...system, ...hashes].flatMap((transactionHash) => [
          { transactionHash, blockHash: plain.ref.hash, traceAddress: [], type: 'call', action: {} },
          {
            transactionHash,
            blockHash: plain.ref.hash,
            traceAddress: [0],
            type: 'call',
            action: { ...inner, callType: 'call' },
          },
        ]),
        debug_hash: [...system, ...hashes].map((txHash) => ({
          txHash,
          result: call({ calls: [call(inner)] }),
        })),
      };
      const session = {
        capabilities: { trace: kind },
        transport: { call: () => Promise.resolve(answers[kind]) },
      } as unknown as Session;
      const read = await readTraces(session, plain.ref);
      const moved = [{ from: payee, to: token, amountRaw: 3n }];
      expect(read?.({ hashes, system }).transactions).toEqual(
        hashes.map(() => ({ isFailed: false, transfers: moved })),
      );
      // More than the block has is another block's.
      expect(() => read?.({ hashes, system: [] })).toThrow('expected');
    },
  );

  it('may consist of payments from HyperCore alone', async () => {
    const empty = await assemble([], 5_001, { stack: 'hyperevm' });
    const { transactions } = await read(withSystem(empty));
    expect(transactions.map(({ index, verification }) => [index, verification])).toEqual([
      [0, 'attested'],
      [1, 'attested'],
    ]);
  });

  it.each<[string, readonly Json[], string]>([
    ['a payment with a price', [{ ...payments[0], gasPrice: '0x1' }], 'hash of transaction 0'],
    ['a payment of an account', [{ ...payments[0], from: user }], 'hash of transaction 0'],
    ['one of another type', [{ ...payments[0], type: '0x2' }], 'hash of transaction 0'],
  ])('is refused with %s that no root covers', async (_name, txs, message) => {
    await expect(read(withSystem(plain, txs))).rejects.toThrow(message);
  });

  it('is refused where a payment has the hash of a transaction that the roots cover', async () => {
    const { result } = JSON.parse(plain.body) as { result: { transactions: Json[] } };
    const twin = { ...payments[0], hash: result.transactions[0]!['hash'] };
    await expect(read(withSystem(plain, [twin]))).rejects.toThrow('each hash once');
  });

  it('is refused where body and receipts are of different views', async () => {
    const whole = withSystem(plain);
    await expect(read({ ...whole, receipts: plain.receipts })).rejects.toThrow(
      'expected that of the system transaction',
    );
    await expect(read({ ...plain, receipts: whole.receipts })).rejects.toThrow('receipts of block');
  });

  it('is refused where one of its own transactions is missing, or has another place', async () => {
    const body = (change: (txs: Json[]) => Json[]): Changes => ({
      block: (it) => ({ ...it, transactions: change(it['transactions'] as Json[]) }),
    });
    await expect(
      read(
        withSystem(plain),
        body((txs) => txs.slice(0, 3)),
      ),
    ).rejects.toThrow('transactionsRoot');
    await expect(
      read(withSystem(plain), {
        receipt: (it, index) => (index === 2 ? { ...it, transactionIndex: '0x0' } : it),
      }),
    ).rejects.toThrow('transactionIndex of receipt');
  });
});
