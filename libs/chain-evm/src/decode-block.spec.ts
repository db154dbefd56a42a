// SPDX-License-Identifier: Apache-2.0
import type { Block, Network } from '@chainwatch/chain-core';
import { decodeBlock } from './decode-block.ts';
import { decodeFee } from './decode-fee.ts';
import { evmNetworks } from './networks.ts';
import type { RawBlock, RawLog, RawReceipt, RawTransaction } from './raw-block.ts';

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const pad = (hex: string): string => `0x${hex.padStart(64, '0')}`;
const address = (digit: string): string => `0x${digit.repeat(40)}`;
const word = (digit: string): string => pad(digit.repeat(40));

function networkOf(name: string): Network {
  return evmNetworks.find((network) => network.name === name) as Network;
}

function decode(
  name: string,
  tx: Partial<RawTransaction>,
  receipt: Partial<RawReceipt> = {},
  over: Partial<RawBlock> = {},
): Block {
  const block = {
    number: '0x10',
    hash: '0xb1',
    parentHash: '0xb0',
    timestamp: '0x5',
    miner: address('C'),
    ...over,
  } as RawBlock;
  const whole = {
    hash: '0x1',
    from: address('A'),
    to: address('B'),
    value: '0x0',
    input: '0x',
    gas: '0x5208',
    gasPrice: '0x2',
    ...tx,
  };
  const log = {
    status: '0x1',
    gasUsed: '0x5208',
    cumulativeGasUsed: '0x5208',
    logs: [],
    ...receipt,
  } as unknown as RawReceipt;
  return decodeBlock(networkOf(name), { block, transactions: [whole], receipts: [log] });
}

function logOf(over: Partial<RawLog>): RawLog {
  return { address: address('E'), topics: [transferTopic, word('A'), word('B')], data: pad('7'), ...over };
}

describe('decodeBlock', () => {
  it('makes lower case of whatever spelling the node uses', () => {
    const [tx] = decode('ethereum', { value: '0x9' }).transactions;
    expect(tx).toMatchObject({
      from: address('a'),
      to: address('b'),
      transfers: [{ from: address('a'), to: address('b'), amountRaw: 9n }],
    });
  });

  it('gives BEP-20 assets on BSC', () => {
    const [tx] = decode('bsc', {}, { logs: [logOf({})] }).transactions;
    expect(tx?.transfers).toEqual([
      {
        index: 0,
        type: 'token',
        assetGid: `eip155:56/bep20:${address('e')}`,
        from: address('a'),
        to: address('b'),
        amountRaw: 7n,
        logIndex: 0,
      },
    ]);
  });

  it.each<[string, Partial<RawLog>, boolean]>([
    ['an ERC-721 transfer', { topics: [transferTopic, word('A'), word('B'), word('1')], data: '0x' }, false],
    ['a transfer of four words', { topics: [transferTopic], data: `0x${'0'.repeat(256)}` }, true],
    [
      'a transfer with two topics',
      { topics: [transferTopic, word('A')], data: `0x${'0'.repeat(128)}` },
      true,
    ],
    ['a transfer without data', { data: '0x' }, true],
    ['a transfer with data that is too long', { data: `${pad('7')}00` }, true],
    ['a log without topics', { topics: [] }, true],
    [
      'an approval',
      {
        topics: ['0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925', word('A'), word('B')],
      },
      false,
    ],
  ])('passes over %s', (_, log, isTouched) => {
    const block = decode('ethereum', {}, { logs: [logOf(log)] });
    expect(block.transactions[0]?.transfers).toEqual([]);
    expect(block.touchedAssets).toEqual(isTouched ? [`eip155:1/erc20:${address('e')}`] : []);
  });

  it('takes a transfer without indexed topics', () => {
    const words = `0x${word('A').slice(2)}${word('B').slice(2)}${word('7').slice(2)}`;
    const block = decode('ethereum', {}, { logs: [logOf({ topics: [transferTopic], data: words })] });
    expect(block.transactions[0]?.transfers).toMatchObject([
      { type: 'token', assetGid: `eip155:1/erc20:${address('e')}`, from: address('a'), to: address('b') },
    ]);
    expect([block.touchedAssets, block.mentions]).toEqual([[], []]);
  });

  it('names the accounts in a log that is no transfer', () => {
    const block = decode(
      'ethereum',
      {},
      { logs: [logOf({ topics: [pad('1'), word('A')], data: word('B') })] },
    );
    expect(block.mentions).toEqual([
      { assetGid: `eip155:1/erc20:${address('e')}`, addresses: [address('a'), address('b')] },
    ]);
  });

  it('does not take the contract that mirrors POL for a token that changed', () => {
    const block = decode(
      'polygon',
      {},
      { logs: [logOf({ address: '0x0000000000000000000000000000000000001010', topics: [pad('1')] })] },
    );
    expect(block.touchedAssets).toEqual([]);
  });

  it('gives withdrawals in wei where they pay the native coin, and none on Gnosis', () => {
    const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: address('D'), amount: '0x3' }];
    const rewards = { assetGid: 'eip155:1/slip44:60', address: address('c'), reason: 'reward' };
    expect(decode('ethereum', {}, {}, { withdrawals }).balanceChanges).toEqual([
      rewards,
      {
        assetGid: 'eip155:1/slip44:60',
        address: address('d'),
        amountRaw: 3_000_000_000n,
        reason: 'withdrawal',
      },
    ]);
    expect(decode('gnosis', {}, {}, { withdrawals }).balanceChanges).toHaveLength(1);
  });

  it('gives a deposit from L1 its mint, no fee, and no sender to the one of the protocol', () => {
    const user = decode('base', { type: '0x7e', mint: '0x5', value: '0x5' }, { effectiveGasPrice: '0x0' });
    expect(user.transactions[0]).toMatchObject({
      from: address('a'),
      fee: undefined,
      transfers: [{ amountRaw: 5n }],
    });
    expect(user.balanceChanges[1]).toEqual({
      address: address('a'),
      assetGid: 'eip155:8453/slip44:60',
      amountRaw: 5n,
      reason: 'mint',
    });
    const system = decode('base', { type: '0x7e', from: '0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001' });
    expect(system.transactions[0]?.from).toBeUndefined();
  });

  it('keeps transactions of types that do not exist yet', () => {
    const [tx] = decode(
      'ethereum',
      { type: '0x55', value: '0x1' },
      { effectiveGasPrice: '0x3' },
    ).transactions;
    expect(tx).toMatchObject({ transfers: [{ amountRaw: 1n }], fee: { amountRaw: 63_000n } });
  });

  it('shows only the fee of a failed transaction, also of a creation', () => {
    const [tx] = decode(
      'ethereum',
      { to: null, value: '0x1' },
      { status: '0x0', contractAddress: address('f'), logs: [logOf({})] },
    ).transactions;
    expect(tx).toMatchObject({
      isFailed: true,
      transfers: [],
      to: undefined,
      createdContract: undefined,
      fee: { amountRaw: 42_000n },
    });
  });
});

describe('a fee', () => {
  const bids = { type: '0x2', maxFeePerGas: '0x9', maxPriorityFeePerGas: '0x2', gasPrice: '0x1' };
  const isAttested = (
    name: string,
    receipt: Partial<RawReceipt>,
    tx: Partial<RawTransaction> = bids,
    baseFeePerGas: string | undefined = '0x3',
  ): boolean =>
    decode(name, tx, receipt, { baseFeePerGas } as Partial<RawBlock>).transactions[0]?.fee?.isAttested ===
    true;

  it.each<[string, Partial<RawReceipt>, boolean, Partial<RawTransaction>?, string?]>([
    ['base fee and tip', { effectiveGasPrice: '0x5' }, false],
    ['the most that was bid', { effectiveGasPrice: '0x9' }, false, bids, '0x8'],
    ['less', { effectiveGasPrice: '0x4' }, true],
    ['the most that was bid, though base fee and tip are less', { effectiveGasPrice: '0x9' }, true],
    ['a price that only the transaction tells', {}, true],
    ['the price of a legacy transaction', { effectiveGasPrice: '0x2' }, false, { gasPrice: '0x2' }],
    ['another than that of a legacy transaction', { effectiveGasPrice: '0x1' }, true, { gasPrice: '0x2' }],
    ['a fee of a roll-up', { effectiveGasPrice: '0x5', l1Fee: '0x1' }, true],
  ])('of %s', (_, receipt, expected, tx, baseFee) => {
    expect(isAttested('ethereum', receipt, tx, baseFee)).toBe(expected);
  });

  it('is not looked at where a stack has rules of its own', () => {
    expect(isAttested('optimism', { effectiveGasPrice: '0x4' })).toBe(false);
  });
});

describe('decodeFee', () => {
  const tx = { hash: '0x1', from: address('A'), value: '0x0', input: '0x', gas: '0x5208', gasPrice: '0x2' };
  const receipt = {
    gasUsed: '0xa',
    effectiveGasPrice: '0x3',
    blobGasUsed: '0x20000',
    blobGasPrice: '0x2',
    l1Fee: '0x64',
    logs: [],
  };
  const amount = (over: object, type: number): bigint | undefined =>
    decodeFee(networkOf('optimism'), {
      tx: { ...tx, type: `0x${type.toString(16)}` },
      receipt: { ...receipt, ...over } as unknown as RawReceipt,
    })?.amountRaw;

  it('adds blob gas to type 3 only, and the L1 fee to all', () => {
    expect(amount({}, 2)).toBe(130n);
    expect(amount({}, 3)).toBe(130n + 0x40000n);
  });

  it('takes the gas price of the transaction where the receipt has none', () => {
    expect(amount({ effectiveGasPrice: undefined, l1Fee: undefined }, 0)).toBe(20n);
  });

  it('adds the operator fee, before and after Jovian', () => {
    const operator = { operatorFeeScalar: '0xf4240', operatorFeeConstant: '0x5', l1Fee: undefined };
    expect(amount(operator, 2)).toBe(30n + 10n + 5n);
    expect(amount({ ...operator, operatorFeeScalar: '0x2', daFootprintGasScalar: '0x1' }, 2)).toBe(
      30n + 2_000n + 5n,
    );
  });
});
