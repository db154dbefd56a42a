// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError, type UnknownPart } from '@chainwatch/chain-core';
import { RESULT_CODES } from './contract-results.ts';
import { isKnownNote, isShowingNote } from './internal-moves.ts';
import { isAssetId } from './token-gid.ts';
import type { InternalTransaction, TransactionInfo, WalletLog } from './wallet-block.ts';

const INTEGER = /^(?:0|[1-9]\d{0,18})$/;
const SIGNED_INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const ACCOUNT = /^41[0-9a-f]{40}$/;
const DIGITS = /^(?:[0-9a-f]{2})*$/;
const LOG_ADDRESS = /^[0-9a-f]{40}$/;
const WORD = /^[0-9a-f]{64}$/;
/** Amounts that a record shows. */
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
 * in another spelling would be missed. Amounts in the block's own result are not those of the record: java-tron writes no
 * more than `contractRet` there (`TransactionCapsule.setResultCode`), and leaves the rest as the sender sent it.
 * @returns the unknown parts of its internal transactions
 * @throws IncompleteBlockError
 */
export function verifyRecord(hash: string, info: TransactionInfo): UnknownPart[] {
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
  for (const name of AMOUNT_NAMES) expect(name, isInteger(info[name]), info[name]);
  expectOrder(info, expect);
  for (const one of log) expectLog(one, expect);
  return internal.flatMap((one) => {
    expectInternal(one, expect);
    const unknown = findUnknown(one);
    return unknown === undefined ? [] : [{ ...unknown, transactionHash: hash }];
  });
}

function findUnknown(one: InternalTransaction): UnknownPart | undefined {
  const note = Buffer.from(one.note ?? '', 'hex').toString('latin1');
  if (movesValue(one) && !isKnownNote(one.note ?? ''))
    return {
      kind: `internal-transaction:${note}`,
      expected: 'a call, a creation, a destruction, a stake or a vote',
      got: note,
    };
  const negative = movesNothing(one) ? undefined : listValues(one).find((value) => Number(value) < 0);
  return negative === undefined
    ? undefined
    : { kind: 'internal-value:negative', expected: 'an amount', got: `${negative} of ${note}` };
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

/**
 * Values and tokens are signed integers of 64 bits: a contract chooses them, and java-tron (org.tron.core.vm.program.Program)
 * writes stakes and delegations down before it looks at them. The lower 64 bits of 2^256 - 1 are -1; it rejects such an entry
 * then. Before there were permissions, a call could also name any token, to move nothing of it.
 */
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
    expect('value of an internal transaction', isSigned(callValue), callValue);
    expect('token of an internal transaction', tokenId === '' || isSigned(tokenId), tokenId);
  }
}

function movesValue(one: InternalTransaction): boolean {
  return one.rejected !== true && listValues(one).some((value) => Number(value) > 0);
}

function movesNothing({ rejected, note = '' }: InternalTransaction): boolean {
  return rejected === true || isShowingNote(note);
}

function listValues({ callValueInfo = [] }: InternalTransaction): readonly (number | string)[] {
  return callValueInfo.map(({ callValue = 0 }) => callValue);
}

function isInteger(value: unknown): boolean {
  return (
    value === undefined ||
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) ||
    matches(INTEGER, value)
  );
}

/** Of 64 bits, or none. */
function isSigned(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return value === undefined || (matches(SIGNED_INTEGER, value) && isInt64(BigInt(value as string)));
}

function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
