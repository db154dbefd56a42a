// SPDX-License-Identifier: Apache-2.0
import {
  accountHex,
  encodeFields,
  encodeKind,
  encodeParameter,
  LedgerNode,
  makeBlock,
  type Made,
} from './spec-ledger-node.ts';

// Values that a sender or a contract chooses, and java-tron keeps: none of them stops a chain, and none invents a payment.
// Made here, not recorded.

const [ME, YOU] = [accountHex(0), accountHex(1)];
const bytes = (digits: string): Buffer => Buffer.from(digits, 'hex');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const pay = (amount: bigint): Buffer => encodeFields(1, { 1: bytes(ME), 2: bytes(YOU), 3: amount });

let node: LedgerNode;
beforeAll(async () => {
  node = await LedgerNode.start();
});
afterAll(() => node.close());

/** With a payment of 7 sun behind it, which is proved as ever. */
async function read(made: Made) {
  const { transactions, unknowns } = await node.read(makeBlock([made, { rawData: pay(7n) }]));
  expect(transactions[1]!.transfers).toMatchObject([{ type: 'native', amountRaw: 7n }]);
  expect(transactions[1]!.verification).toBeUndefined();
  const { transfers, verification } = transactions[0]!;
  return {
    amounts: transfers.map(({ amountRaw }) => amountRaw),
    verification,
    kinds: unknowns?.map(({ kind }) => kind),
  };
}

describe('the bytes of a parameter', () => {
  it('are read as Java reads them: the last amount moves, whatever form its key has', async () => {
    const value = bytes(`0a15${ME}1215${YOU}1880c0caf384a30298${'80'.repeat(8)}0101`);
    expect(await read({ rawData: encodeParameter(1, value) })).toEqual({
      amounts: [1n],
      verification: undefined,
      kinds: undefined,
    });
  });

  it.each([
    [1, 'contract-form:1'],
    [14, 'contract-form:14'],
    [30, 'contract-form:30'],
    [53, 'contract-form:53'],
  ])('of kind %i that cannot be read are an unknown part', async (type, kind) => {
    const rawData = encodeParameter(type, bytes('0aff'));
    expect(await read({ rawData })).toEqual({ amounts: [], verification: 'unproved', kinds: [kind] });
    // Nothing is asked about it.
    expect(node.asked).toEqual([]);
  });
});

describe('values of internal transactions', () => {
  const call = encodeKind('TriggerSmartContract', { owner_address: ME, contract_address: YOU, data: '00' });
  const of = (note: string, callValueInfo: readonly object[], more: object = {}): Made => ({
    rawData: call,
    info: {
      internal_transactions: [
        { caller_address: ME, transferTo_address: YOU, callValueInfo, note: hex(note), ...more },
      ],
    } as Made['info'] & object,
  });
  const nothing = { amounts: [], verification: 'attested', kinds: undefined };

  it.each([-1, '-9223372036854775808', '9223372036854775807'])(
    '%s is told of a stake that was rejected, and moved nothing',
    async (callValue) => {
      for (const note of ['freezeBalanceV2ForEnergy', 'freezeForUnknownType', 'delegateResourceOfEnergy'])
        expect(await read(of(note, [{ callValue }], { rejected: true }))).toEqual(nothing);
    },
  );

  it('are anything under a note that moves nothing', async () => {
    expect(await read(of('unfreezeBalanceV2ForEnergy', [{ callValue: -5 }]))).toEqual(nothing);
  });

  it('that are negative and were not rejected are an unknown part', async () => {
    for (const callValue of [-1, '-9223372036854775808'])
      expect(await read(of('freezeBalanceV2ForEnergy', [{ callValue }]))).toEqual({
        amounts: [],
        verification: 'unproved',
        kinds: ['internal-value:negative'],
      });
  });

  it('name any token, to move nothing of it', async () => {
    for (const tokenId of ['-5', '7', '-9223372036854775808'])
      expect(await read(of('call', [{}, { tokenId }]))).toEqual(nothing);
  });

  it.each([['9223372036854775808'], ['-9223372036854775809'], [1.5], ['-0'], [null], ['0x5']])(
    '%j is no value of java-tron',
    async (callValue) => {
      const made = makeBlock([of('call', [{ callValue }], { rejected: true })]);
      await expect(node.read(made)).rejects.toMatchObject({ code: 'incomplete_block' });
    },
  );
});

// Java-tron sets `contractRet` of the first result, and keeps the rest of it as the sender sent it.
describe('a result that its sender sent along', () => {
  const result = (encoded: string): string =>
    `2a${(encoded.length / 2).toString(16).padStart(2, '0')}${encoded}`;

  it.each<[what: string, ret: object, encoded: string]>([
    ['an amount that the record does not have', { withdraw_amount: 300 }, '180178ac02'],
    ['a negative fee', { fee: -1 }, '08ffffffffffffffffff011801'],
    ['a negative code without a name', { ret: 'UNKNOWN_ENUM_VALUE_code_-1' }, '10ffffffffffffffffff011801'],
    ['the largest code', { ret: 'UNKNOWN_ENUM_VALUE_code_2147483647' }, '10ffffffff071801'],
    ['a failure', { ret: 'FAILED' }, '10011801'],
    [
      'an unknown field in a match of an order',
      { orderDetails: [{ fillBuyQuantity: 1, 9: [5] }] },
      '1801d2010420014805',
    ],
    ['an empty entry of a map', { cancel_unfreezeV2_amount: [{}] }, '1801e201040a001000'],
  ])('with %s changes nothing', async (_what, ret, encoded) => {
    const made = { rawData: pay(5n), ret: ret as Made['ret'] & object, results: result(encoded) };
    expect(await read(made)).toEqual({ amounts: [5n], verification: undefined, kinds: undefined });
  });

  it('and a second one, of an unknown kind, neither', async () => {
    const { block, infos } = makeBlock([{ rawData: pay(5n), results: `2a0218012a021863` }]);
    const [tx] = block.transactions!;
    const ret = [{ contractRet: 'SUCCESS' }, { contractRet: 'UNKNOWN_ENUM_VALUE_contractResult_99' }];
    const told = await node.read({ block: { ...block, transactions: [{ ...tx!, ret }] }, infos });
    expect([told.unknowns, told.transactions[0]?.verification]).toEqual([undefined, undefined]);
  });

  it('with a text that the JSON of java-tron cuts is an unknown part', async () => {
    // U+FFFF and "b" are missing in the answer.
    const cut = { assetIssueID: 'a' };
    const made = makeBlock([{ rawData: pay(5n), ret: cut, results: result('1801720561efbfbf62') }]);
    expect((await node.read(made)).unknowns).toMatchObject([{ kind: 'transaction-field:assetIssueID' }]);
    await expect(node.read(made, false)).rejects.toMatchObject({ code: 'unknown_content' });
  });
});
