// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { EvmReceipt, EvmTransaction } from './evm-types.ts';

const QUANTITY = /^0x[0-9a-f]+$/;
const WORD = /^0x[0-9a-f]{64}$/;
const ACCOUNT = /^0x[0-9a-f]{40}$/;
const BYTES = /^0x(?:[0-9a-f]{2})*$/;
const isMissing = (value: unknown): boolean => value === undefined || value === null;
/** No account is null or `0x`. */
const isAccount = (value: unknown): boolean => isMissing(value) || value === '0x' || matches(ACCOUNT, value);

/**
 * Refuses a transaction of the Ethereum-compatible interface whose values are not spelt as java-tron spells
 * them: one reader could take another spelling for another value, the next one for the same.
 * @throws IncompleteBlockError
 */
export function expectTransaction(tx: EvmTransaction): void {
  const { hash, from, to, value, gas } = tx;
  expect('hash', { isRight: matches(WORD, hash), block: tx, value: hash });
  expect('from', { isRight: isAccount(from), block: tx, value: from });
  expect('to', { isRight: isAccount(to), block: tx, value: to });
  // Without a sender there can be no contract.
  const isQuantity = (text: unknown): boolean =>
    matches(QUANTITY, text) || (isMissing(text) && !matches(ACCOUNT, from));
  expect('value', { isRight: isQuantity(value), block: tx, value });
  expect('gas', { isRight: isQuantity(gas), block: tx, value: gas });
}

/** The same of a receipt. @throws IncompleteBlockError */
export function expectReceipt({
  transactionHash: hash,
  status,
  gasUsed,
  contractAddress,
  logs,
}: EvmReceipt): void {
  const owner = { hash };
  expect('status', { isRight: status === '0x0' || status === '0x1', block: owner, value: status });
  expect('gasUsed', { isRight: matches(QUANTITY, gasUsed), block: owner, value: gasUsed });
  expect('contractAddress', { isRight: isAccount(contractAddress), block: owner, value: contractAddress });
  for (const { address, topics, data, logIndex } of logs) {
    expect('address of a log', { isRight: matches(ACCOUNT, address), block: owner, value: address });
    expect('topics of a log', {
      isRight: Array.isArray(topics) && topics.every((topic) => matches(WORD, topic)),
      block: owner,
      value: topics,
    });
    expect('data of a log', { isRight: matches(BYTES, data), block: owner, value: data });
    expect('logIndex of a log', {
      isRight: logIndex === undefined || matches(QUANTITY, logIndex),
      block: owner,
      value: logIndex,
    });
  }
}

function expect(
  what: string,
  {
    isRight,
    block: { hash },
    value,
  }: { readonly isRight: boolean; readonly block: { readonly hash: string }; readonly value: unknown },
): void {
  if (!isRight)
    throw new IncompleteBlockError(
      `${what} of transaction ${String(hash).slice(0, 80)}: expected it as java-tron writes it, got ${String(JSON.stringify(value)).slice(0, 80)}`,
    );
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
