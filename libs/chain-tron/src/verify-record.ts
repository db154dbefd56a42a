import { IncompleteBlockError, type UnknownPart } from '@chainwatch/chain-core';
import { RESULT_CODES } from './contract-results.ts';
import { movingNotes } from './list-moves.ts';
import { isAssetId } from './token-gid.ts';
import type { InternalTransaction, TransactionInfo, WalletLog } from './wallet-block.ts';

const INTEGER = /^(?:0|[1-9]\d{0,18})$/;
const ACCOUNT = /^41[0-9a-f]{40}$/;
const DIGITS = /^(?:[0-9a-f]{2})*$/;
const LOG_ADDRESS = /^[0-9a-f]{40}$/;
const WORD = /^[0-9a-f]{64}$/;
/** Notes of stakes, votes and rewards, for which java-tron shows an amount that no account receives. */
const STILL_NOTE = /^(?:(?:un)?freeze|(?:un)?delegate|vote|withdraw|cancelAll)/i;

/**
 * Refuses a record whose values are not spelt as java-tron spells them: no root covers them, and a transfer
 * in another spelling would be missed.
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
  for (const one of log) expectLog(one, expect);
  return internal.flatMap((one) => {
    expectInternal(one, expect);
    const note = Buffer.from(one.note ?? '', 'hex').toString('latin1');
    if (!movesValue(one) || movingNotes.has(one.note ?? '') || STILL_NOTE.test(note)) return [];
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
