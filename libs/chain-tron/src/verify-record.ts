import { IncompleteBlockError, type UnknownPart } from '@chainwatch/chain-core';
import { RESULT_CODES } from './contract-results.ts';
import { isKnownNote } from './internal-moves.ts';
import { isAssetId } from './token-gid.ts';
import type { InternalTransaction, TransactionInfo, WalletLog, WalletTransaction } from './wallet-block.ts';

const INTEGER = /^(?:0|[1-9]\d{0,18})$/;
const ACCOUNT = /^41[0-9a-f]{40}$/;
const DIGITS = /^(?:[0-9a-f]{2})*$/;
const LOG_ADDRESS = /^[0-9a-f]{40}$/;
const WORD = /^[0-9a-f]{64}$/;
/** Amounts that a record shows, and the result in the block may. */
const AMOUNT_NAMES = [
  'withdraw_amount',
  'unfreeze_amount',
  'withdraw_expire_amount',
  'exchange_received_amount',
  'exchange_inject_another_amount',
  'exchange_withdraw_another_amount',
] as const;

/**
 * Refuses a record whose values are not spelt as java-tron spells them: no root covers them, and a transfer
 * in another spelling would be missed. Amounts that the block's result shows, which the root does cover, must be those of
 * the record.
 * @param results of the transaction in its block
 * @returns the unknown parts of its internal transactions
 * @throws IncompleteBlockError
 */
export function verifyRecord(
  hash: string,
  info: TransactionInfo,
  results: WalletTransaction['ret'] = [],
): UnknownPart[] {
  const expect = (what: string, isRight: boolean, value: unknown): void => {
    if (!isRight)
      throw new IncompleteBlockError(
        `${what} in the record of transaction ${hash}: expected it as java-tron writes it, got ${String(JSON.stringify(value)).slice(0, 80)}`,
      );
  };
  const { fee, result, assetIssueID, log = [], internal_transactions: internal = [] } = info;
  expect('fee', isInteger(fee), fee);
  expect('result', result === undefined || RESULT_CODES.includes(result), result);
  expect('assetIssueID', assetIssueID === undefined || isAssetId(assetIssueID), assetIssueID);
  for (const name of AMOUNT_NAMES) {
    expect(name, isInteger(info[name]), info[name]);
    const proved = results[0]?.[name];
    if (proved !== undefined)
      expect(name, toText(proved) === toText(info[name] ?? 0), info[name] ?? 'none beside that of the block');
  }
  expectOrder(info, expect);
  for (const one of log) expectLog(one, expect);
  return internal.flatMap((one) => {
    expectInternal(one, expect);
    if (!movesValue(one) || isKnownNote(one.note ?? '')) return [];
    const note = Buffer.from(one.note ?? '', 'hex').toString('latin1');
    return [
      {
        kind: `internal-transaction:${note}`,
        transactionHash: hash,
        expected: 'a call, a creation, a destruction, a stake or a vote',
        got: note,
      },
    ];
  });
}

type Expect = (what: string, isRight: boolean, value: unknown) => void;

function expectLog(log: WalletLog, expect: Expect): void {
  const { address, topics = [], data = '' } = log;
  expect('address of a log', matches(LOG_ADDRESS, address), address);
  for (const topic of topics) expect('topic of a log', matches(WORD, topic), topic);
  expect('data of a log', matches(DIGITS, data), data);
}

function expectOrder({ orderId, orderDetails = [] }: TransactionInfo, expect: Expect): void {
  expect('orderId', orderId === undefined || matches(WORD, orderId), orderId);
  expect('orderDetails', Array.isArray(orderDetails), orderDetails);
  for (const { makerOrderId, fillSellQuantity, fillBuyQuantity } of orderDetails) {
    expect('order of a match', matches(WORD, makerOrderId), makerOrderId);
    expect('amount of a match', isInteger(fillSellQuantity), fillSellQuantity);
    expect('amount of a match', isInteger(fillBuyQuantity), fillBuyQuantity);
  }
}

const toText = (value: unknown): string => String(value as number | string);

function expectInternal(one: InternalTransaction, expect: Expect): void {
  const {
    caller_address: caller = '',
    transferTo_address: receiver = '',
    note = '',
    rejected = false,
    callValueInfo = [],
  } = one;
  // An internal transaction that moves nothing may name no account.
  const isAccount = (address: string): boolean =>
    matches(ACCOUNT, address) || (address === '' && !movesValue(one));
  expect('caller of an internal transaction', isAccount(caller), caller);
  expect('receiver of an internal transaction', isAccount(receiver), receiver);
  expect('note of an internal transaction', matches(DIGITS, note), note);
  expect('rejection of an internal transaction', typeof rejected === 'boolean', rejected);
  for (const { callValue, tokenId = '' } of callValueInfo) {
    expect('value of an internal transaction', isInteger(callValue), callValue);
    expect('token of an internal transaction', tokenId === '' || matches(INTEGER, tokenId), tokenId);
  }
}

function movesValue({ rejected, callValueInfo = [] }: InternalTransaction): boolean {
  return rejected !== true && callValueInfo.some(({ callValue }) => Number(callValue ?? 0) > 0);
}

function isInteger(value: unknown): boolean {
  return (
    value === undefined ||
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    matches(INTEGER, value)
  );
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
