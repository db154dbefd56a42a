// SPDX-License-Identifier: Apache-2.0
import type { Transfer } from '@chainwatch/chain-core';
import type { Json } from '@chainwatch/testing';
import {
  accountHex,
  encodeFields,
  encodeKind,
  LedgerNode,
  makeBlock,
  NATIVE,
  trc10,
  type Made,
} from './spec-ledger-node.ts';
import { toAddress } from './to-address.ts';

const [ME, YOU, OTHER] = [accountHex(0), accountHex(1), accountHex(2)];
const [A, B] = ['1000001', '1000002'];
const hex = (text: string): string => Buffer.from(text).toString('hex');
const bytes = (digits: string): Buffer => Buffer.from(digits, 'hex');
const address = (digits: string): string => toAddress(digits.slice(2));

let node: LedgerNode;
beforeAll(async () => {
  node = await LedgerNode.start();
});
afterAll(() => node.close());
beforeEach(() => {
  node.answers = {
    getassetissuebyid: ({ value }) => (value === A ? { id: A, owner_address: YOU, num: 3, trx_num: 2 } : {}),
    getassetissuebyname: ({ value }) =>
      value === hex('Pennies') ? { id: A, owner_address: YOU, num: 3, trx_num: 2 } : {},
    getassetissuebyaccount: () => ({
      assetIssue: [{ id: A, num: 1, trx_num: 1, frozen_supply: [{ frozen_amount: 40, frozen_days: 2 }] }],
    }),
    getexchangebyid: ({ id }) =>
      id === 9 ? { exchange_id: 9, first_token_id: hex(A), second_token_id: hex('_') } : {},
    getmarketorderbyid: ({ value }) => orders[String(value)] ?? {},
  };
});

const order = (digit: string): string => digit.repeat(64);
const orders: Record<string, object> = {
  // What is left of it is too little to buy anything: given back.
  [order('a')]: {
    owner_address: ME,
    sell_token_id: hex('_'),
    buy_token_id: hex(A),
    sell_token_quantity_return: 4,
  },
  [order('b')]: { owner_address: YOU, sell_token_id: hex(A), buy_token_id: hex('_') },
  [order('c')]: { owner_address: OTHER, sell_token_id: hex(A), buy_token_id: hex('_') },
};

/** `+5` to me, `-5` from me; a token with its id; somebody else by name. */
const show = ({ type, assetGid, from, to, amountRaw }: Transfer): string => {
  const asset = assetGid === NATIVE ? 'TRX' : assetGid.split(':').at(-1)!;
  const name = (one: string | undefined): string =>
    ({ [address(ME)]: 'me', [address(YOU)]: 'you', [address(OTHER)]: 'other' })[one ?? ''] ?? 'nobody';
  return `${type} ${amountRaw} ${asset} ${name(from)}>${name(to)}`;
};

async function read(made: Made) {
  const block = await node.read(makeBlock([made]));
  const [tx] = block.transactions;
  return { ...tx!, shown: tx!.transfers.map(show), block };
}

const owner = { owner_address: ME };
const stake = { ...owner, frozen_balance: 5_000_000, frozen_duration: 3 };
const exchange = { ...owner, exchange_id: 9 };
const sellTrx = encodeFields(52, { 1: bytes(ME), 2: Buffer.from('_'), 3: 100n, 4: Buffer.from(A), 5: 10n });
const matches = {
  orderId: order('a'),
  orderDetails: [
    { makerOrderId: order('b'), takerOrderId: order('a'), fillSellQuantity: 60, fillBuyQuantity: 6 },
    { makerOrderId: order('c'), takerOrderId: order('a'), fillSellQuantity: 36, fillBuyQuantity: 3 },
  ],
};

describe('each kind tells what it does to balances (made here, not recorded)', () => {
  it.each<[what: string, rawData: Buffer, info: Json, shown: readonly string[], verification?: string]>([
    ['FreezeBalance', encodeKind('FreezeBalanceContract', stake), {}, ['native 5000000 TRX me>nobody']],
    [
      'FreezeBalance for somebody else, who gets the resource',
      encodeKind('FreezeBalanceContract', { ...stake, resource: 'ENERGY', receiver_address: YOU }),
      {},
      ['native 5000000 TRX me>nobody'],
    ],
    [
      'UnfreezeBalance, several stakes in one amount',
      encodeKind('UnfreezeBalanceContract', { ...owner, resource: 'BANDWIDTH' }),
      { unfreeze_amount: 7_000_000 },
      ['native 7000000 TRX nobody>me'],
      'attested',
    ],
    [
      'UnfreezeBalance of what somebody else used',
      encodeKind('UnfreezeBalanceContract', { ...owner, resource: 'ENERGY', receiver_address: YOU }),
      { unfreeze_amount: 7_000_000 },
      ['native 7000000 TRX nobody>me'],
      'attested',
    ],
    [
      'WithdrawBalance',
      encodeKind('WithdrawBalanceContract', owner),
      { withdraw_amount: '9007199254740993' },
      ['native 9007199254740993 TRX nobody>me'],
      'attested',
    ],
    [
      'FreezeBalanceV2',
      encodeKind('FreezeBalanceV2Contract', { ...owner, frozen_balance: 6_000_000, resource: 'ENERGY' }),
      {},
      ['native 6000000 TRX me>nobody'],
    ],
    [
      'UnfreezeBalanceV2: nothing of its own, and what was due already',
      encodeKind('UnfreezeBalanceV2Contract', { ...owner, unfreeze_balance: 6_000_000, resource: 'ENERGY' }),
      { withdraw_expire_amount: 2_000_000 },
      ['native 2000000 TRX nobody>me'],
      'attested',
    ],
    [
      'UnfreezeBalanceV2 with nothing due',
      encodeKind('UnfreezeBalanceV2Contract', { ...owner, unfreeze_balance: 6_000_000 }),
      {},
      [],
      'attested',
    ],
    [
      'WithdrawExpireUnfreeze',
      encodeKind('WithdrawExpireUnfreezeContract', owner),
      { withdraw_expire_amount: 3_000_000 },
      ['native 3000000 TRX nobody>me'],
      'attested',
    ],
    [
      'CancelAllUnfreezeV2: what is staked again moves nothing',
      encodeKind('CancelAllUnfreezeV2Contract', owner),
      {
        withdraw_expire_amount: 1_000_000,
        cancel_unfreezeV2_amount: [{ key: 'ENERGY', value: 10_000_000 }],
      },
      ['native 1000000 TRX nobody>me'],
      'attested',
    ],
    [
      'DelegateResource',
      encodeKind('DelegateResourceContract', { ...owner, balance: 5_000_000, receiver_address: YOU }),
      {},
      [],
    ],
    [
      'UnDelegateResource',
      encodeKind('UnDelegateResourceContract', { ...owner, balance: 5_000_000, receiver_address: YOU }),
      {},
      [],
    ],
    [
      'VoteWitness',
      encodeKind('VoteWitnessContract', { ...owner, votes: [{ vote_address: YOU, vote_count: 5 }] }),
      {},
      [],
    ],
    [
      'AccountCreate',
      encodeKind('AccountCreateContract', { ...owner, account_address: YOU }),
      { fee: 1_000_000 },
      [],
    ],
    [
      'ParticipateAssetIssue, both sides, rounded down',
      encodeKind('ParticipateAssetIssueContract', {
        ...owner,
        to_address: YOU,
        asset_name: hex(A),
        amount: 5,
      }),
      {},
      ['native 5 TRX me>you', `token 7 ${A} you>me`],
      'attested',
    ],
    [
      'ParticipateAssetIssue by name',
      encodeKind('ParticipateAssetIssueContract', {
        ...owner,
        to_address: YOU,
        asset_name: hex('Pennies'),
        amount: 4,
      }),
      {},
      ['native 4 TRX me>you', `token 6 ${A} you>me`],
      'attested',
    ],
    [
      'UnfreezeAsset of one part',
      encodeFields(14, { 1: bytes(ME) }),
      {},
      [`token 40 ${A} nobody>me`],
      'attested',
    ],
    [
      'ExchangeCreate',
      encodeKind('ExchangeCreateContract', {
        ...owner,
        first_token_id: hex(B),
        first_token_balance: 11,
        second_token_id: hex('_'),
        second_token_balance: 22,
      }),
      { fee: 1_024_000_000, exchange_id: 9 },
      [`token 11 ${B} me>nobody`, 'native 22 TRX me>nobody'],
    ],
    [
      'ExchangeInject',
      encodeKind('ExchangeInjectContract', { ...exchange, token_id: hex('_'), quant: 8 }),
      { exchange_inject_another_amount: 5 },
      ['native 8 TRX me>nobody', `token 5 ${A} me>nobody`],
      'attested',
    ],
    [
      'ExchangeWithdraw',
      encodeKind('ExchangeWithdrawContract', { ...exchange, token_id: hex(A), quant: 8 }),
      { exchange_withdraw_another_amount: 5 },
      [`token 8 ${A} nobody>me`, 'native 5 TRX nobody>me'],
      'attested',
    ],
    [
      'ExchangeTransaction',
      encodeKind('ExchangeTransactionContract', { ...exchange, token_id: hex(A), quant: 8, expected: 1 }),
      { exchange_received_amount: 5 },
      [`token 8 ${A} me>nobody`, 'native 5 TRX nobody>me'],
      'attested',
    ],
    [
      'ExchangeTransaction by the name of its token',
      encodeKind('ExchangeTransactionContract', {
        ...exchange,
        token_id: hex('Pennies'),
        quant: 8,
        expected: 1,
      }),
      { exchange_received_amount: 5 },
      [`token 8 ${A} me>nobody`, 'native 5 TRX nobody>me'],
      'attested',
    ],
    [
      'MarketSellAsset without a match',
      sellTrx,
      { orderId: order('b') },
      ['native 100 TRX me>nobody'],
      'attested',
    ],
    [
      'MarketSellAsset: the makers are paid, and what is too little comes back',
      sellTrx,
      matches,
      [
        'native 100 TRX me>nobody',
        `token 6 ${A} nobody>me`,
        'native 60 TRX nobody>you',
        `token 3 ${A} nobody>me`,
        'native 36 TRX nobody>other',
        'native 4 TRX nobody>me',
      ],
      'attested',
    ],
  ])('%s', async (_what, rawData, info, shown, verification) => {
    const told = await read({ rawData, info: info as object });
    expect(told.shown).toEqual(shown);
    expect(told.verification).toBe(verification);
    expect(told.block.unknowns).toBeUndefined();
    expect(told.block.balanceChanges).toEqual([]);
    expect(told.transfers.map(({ index }) => index)).toEqual(shown.map((_, index) => index));
  });

  it.each([
    ['of several parts of a supply', encodeFields(14, { 1: bytes(ME) }), A],
    ['of a canceled order', encodeFields(53, { 1: bytes(ME), 2: bytes(order('b')) }), A],
    ['of a canceled order in TRX', encodeFields(53, { 1: bytes(ME), 2: bytes(order('a')) }), undefined],
    ['of a record from before there were amounts', encodeKind('WithdrawBalanceContract', owner), undefined],
  ])('an amount that the chain does not tell is a balance to read: %s', async (_of, rawData, token) => {
    const part = { frozen_amount: 40, frozen_days: 2 };
    node.answers = {
      ...node.answers,
      getassetissuebyaccount: () => ({
        assetIssue: [{ id: A, num: 1, trx_num: 1, frozen_supply: [part, part] }],
      }),
    };
    const { shown, block, verification } = await read({ rawData });
    expect(shown).toEqual([]);
    expect(verification).toBe('attested');
    expect(block.balanceChanges).toEqual([
      { address: address(ME), assetGid: token === undefined ? NATIVE : trc10(token), reason: 'other' },
    ]);
  });

  it.each([
    [
      'an exchange',
      'exchange',
      encodeKind('ExchangeTransactionContract', {
        ...exchange,
        exchange_id: 8,
        token_id: hex(A),
        quant: 8,
        expected: 1,
      }),
      { exchange_received_amount: 5 },
    ],
    [
      'a price',
      'asset',
      encodeKind('ParticipateAssetIssueContract', {
        ...owner,
        to_address: YOU,
        asset_name: hex(B),
        amount: 5,
      }),
      {},
    ],
    [
      'a maker',
      'market-order',
      sellTrx,
      { ...matches, orderDetails: [{ ...matches.orderDetails[0], makerOrderId: order('d') }] },
    ],
    ['an order', 'market-order', encodeFields(53, { 1: bytes(ME), 2: bytes(order('e')) }), {}],
  ])('%s that the node does not have is an unknown part', async (_what, kind, rawData, info) => {
    const told = await read({ rawData, info });
    expect(told.verification).toBe('unproved');
    expect(told.block.unknowns).toMatchObject([{ kind: `${kind}:unreadable`, transactionHash: told.hash }]);
    await expect(node.read(makeBlock([{ rawData, info }]), false)).rejects.toMatchObject({
      code: 'unknown_content',
    });
    // Nor one that does not serve them.
    node.answers = {};
    expect((await read({ rawData, info })).verification).toBe('unproved');
  });

  it('ShieldedTransfer moves a token that stands in the settings of nodes alone: unknown', async () => {
    const rawData = encodeFields(51, { 1: bytes(ME), 2: 100n, 5: bytes(YOU), 6: 90n });
    const told = await read({ rawData });
    expect(told).toMatchObject({ shown: [], verification: 'unproved' });
    expect(told.block.unknowns).toMatchObject([{ kind: 'contract-type:51' }]);
  });

  it('nothing is asked for a block that refers to nothing, and the same once', async () => {
    await read({ rawData: encodeKind('FreezeBalanceV2Contract', { ...owner, frozen_balance: 6_000_000 }) });
    expect(node.asked).toEqual([]);
    const again = encodeKind('ExchangeTransactionContract', {
      ...exchange,
      token_id: hex(A),
      quant: 7,
      expected: 1,
    });
    const once = encodeKind('ExchangeTransactionContract', {
      ...exchange,
      token_id: hex(A),
      quant: 8,
      expected: 1,
    });
    const info = { exchange_received_amount: 5 };
    await node.read(
      makeBlock([
        { rawData: again, info },
        { rawData: once, info },
      ]),
    );
    expect(node.asked).toEqual(['getexchangebyid']);
  });

  it('a failed one moves nothing', async () => {
    const { block, infos } = makeBlock([
      {
        rawData: sellTrx,
        info: { ...matches, result: 'FAILED' },
        ret: { contractRet: 'REVERT' },
        results: '2a021802',
      },
    ]);
    const [tx] = (await node.read({ block, infos })).transactions;
    expect(tx).toMatchObject({ isFailed: true, transfers: [] });
    expect(node.asked).toEqual([]);
  });
});

describe('amounts of the record', () => {
  const rawData = encodeKind('WithdrawBalanceContract', owner);
  it.each([
    { withdraw_amount: -1 },
    { withdraw_amount: 1.5 },
    { withdraw_amount: '0x5' },
    { unfreeze_amount: null },
    { withdraw_expire_amount: '' },
    { orderDetails: 'x' },
    { orderDetails: [{ makerOrderId: 'zz' }] },
    { orderDetails: [{ makerOrderId: order('a'), fillBuyQuantity: -1 }] },
    { orderId: 'short' },
  ])('in another spelling are refused: %j', async (info) => {
    await expect(node.read(makeBlock([{ rawData, info: info as object }]))).rejects.toMatchObject({
      code: 'incomplete_block',
    });
  });
});

describe('stakes of contracts, by the notes of internal transactions', () => {
  const call = encodeKind('TriggerSmartContract', { ...owner, contract_address: OTHER, data: '00' });
  const internal = (note: string, more: object = {}): object => ({
    caller_address: ME,
    transferTo_address: YOU,
    callValueInfo: [{ callValue: 5 }],
    note: hex(note),
    ...more,
  });
  const shownOf = async (...internal_transactions: object[]) =>
    read({ rawData: call, info: { internal_transactions } as object });

  it.each([
    ['freezeForBandwidth', 'me>nobody'],
    ['freezeForEnergy', 'me>nobody'],
    ['freezeBalanceV2ForBandwidth', 'me>nobody'],
    ['freezeBalanceV2ForTronPower', 'me>nobody'],
    ['unfreezeForEnergy', 'nobody>me'],
    ['withdrawExpireUnfreeze', 'nobody>me'],
    ['withdrawExpireUnfreezeWhileUnfreezing', 'nobody>me'],
    ['withdrawExpireUnfreezeWhileCanceling', 'nobody>me'],
    ['withdrawReward', 'nobody>me'],
    ['call', 'me>you'],
    ['create', 'me>you'],
    ['suicide', 'me>you'],
  ])('%s: %s', async (note, sides) => {
    expect((await shownOf(internal(note))).shown).toEqual([`internal 5 TRX ${sides}`]);
    expect((await shownOf(internal(note, { rejected: true }))).shown).toEqual([]);
  });

  it.each([
    'unfreezeBalanceV2ForEnergy',
    'delegateResourceOfBandwidth',
    'unDelegateResourceOfEnergy',
    'cancelAllUnfreezeV2',
    'voteWitness',
  ])('%s moves nothing', async (note) => {
    const { shown, block } = await shownOf(internal(note));
    expect(shown).toEqual([]);
    expect(block.unknowns).toBeUndefined();
  });

  it.each(['freezeBalanceV3ForEnergy', 'withdrawEverything', 'FREEZEFORENERGY', 'stake'])(
    '%s is unknown',
    async (note) => {
      const { shown, block, verification } = await shownOf(internal(note));
      expect([shown, verification]).toEqual([[], 'unproved']);
      expect(block.unknowns).toMatchObject([{ kind: `internal-transaction:${note}` }]);
    },
  );

  it('a contract that ends gives its heir what was due of its stakes, once', async () => {
    const suicide = internal('suicide', { callValueInfo: [{ callValue: 12 }] });
    const due = internal('withdrawExpireUnfreezeWhileSuiciding');
    const { shown } = await shownOf(suicide, due);
    expect(shown).toEqual(['internal 12 TRX me>you', 'internal 5 TRX nobody>me']);
  });

  it('one that ends in its own favor has a balance to read', async () => {
    const { shown, block } = await shownOf(internal('suicide', { transferTo_address: ME }));
    expect(shown).toEqual([]);
    expect(block.balanceChanges).toEqual([{ address: address(ME), assetGid: NATIVE, reason: 'other' }]);
  });
});
