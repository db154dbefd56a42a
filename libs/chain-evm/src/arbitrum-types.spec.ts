// SPDX-License-Identifier: Apache-2.0
import type { RawTransaction } from './raw-block.ts';
import { account, makeItem, readMade } from './spec-read.ts';

// Made here: what the two do to balances is in nitro, arbos/tx_processor.go (StartTxHook, EndTxHook).

const [sender, payee, refundTo, beneficiary] = ['a1', 'b2', 'c3', 'd4'].map(account) as [
  string,
  string,
  string,
  string,
];
const native = 'eip155:42161/slip44:60';
const word = (byte: string): string => `0x${byte.repeat(32)}`;
const unsigned = { chainId: '0xa4b1', input: '0x', r: '0x0', s: '0x0', v: '0x0', nonce: '0x0' };

/** Submits a ticket of 5 wei with a deposit of 1,000, and pays for 60,000 gas. */
const submission: Partial<RawTransaction> = {
  ...unsigned,
  type: '0x69',
  from: sender,
  to: account('6e'),
  value: '0x0',
  requestId: word('01'),
  l1BaseFee: '0x7',
  depositValue: '0x3e8',
  gasPrice: '0x1',
  maxFeePerGas: '0x1',
  retryTo: payee,
  retryValue: '0x5',
  retryData: '0x',
  beneficiary,
  maxSubmissionFee: '0x64',
  refundTo,
};
const redemption: Partial<RawTransaction> = {
  ...unsigned,
  type: '0x68',
  from: sender,
  to: payee,
  value: '0x5',
  gasPrice: '0x1',
  maxFeePerGas: '0x1',
  ticketId: word('02'),
  refundTo,
  maxRefund: '0x3e8',
  submissionFeeRefund: '0x64',
};

const read = (items: readonly { tx: Partial<RawTransaction>; isFailed?: boolean }[]) =>
  readMade(
    'arbitrum',
    items.map(({ tx, isFailed = false }) =>
      makeItem(tx, { gas: 60_000, isFailed, extra: { effectiveGasPrice: '0x1' } }),
    ),
  );
const other = (address: string) => ({ address, assetGid: native, reason: 'other' });

describe('a retryable ticket of Arbitrum', () => {
  it('has balances to read: whoever submits it and whoever gets back what is too much', async () => {
    const { transactions, balanceChanges } = await read([{ tx: submission }, { tx: redemption }]);
    expect(balanceChanges.filter(({ reason }) => reason !== 'reward')).toEqual([
      { address: sender, assetGid: native, amountRaw: 1_000n, reason: 'mint' },
      other(sender),
      other(refundTo),
      other(sender),
      other(refundTo),
    ]);
    // The submission pays for the gas of both.
    expect(transactions.map(({ fee }) => fee?.amountRaw)).toEqual([60_000n, undefined]);
    expect(transactions[1]?.transfers).toMatchObject([{ from: sender, to: payee, amountRaw: 5n }]);
  });

  it('gives back the same when its redemption failed', async () => {
    const { transactions, balanceChanges } = await read([{ tx: redemption, isFailed: true }]);
    expect(transactions[0]).toMatchObject({ isFailed: true, fee: undefined, transfers: [] });
    expect(balanceChanges.filter(({ reason }) => reason === 'other')).toEqual([
      other(sender),
      other(refundTo),
    ]);
  });

  it('names an account once', async () => {
    const { balanceChanges } = await read([{ tx: { ...redemption, refundTo: sender } }]);
    expect(balanceChanges.filter(({ reason }) => reason === 'other')).toEqual([other(sender)]);
  });
});
