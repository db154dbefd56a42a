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
  expect('hash', matches(WORD, hash), tx, hash);
  expect('from', isAccount(from), tx, from);
  expect('to', isAccount(to), tx, to);
  // Without a sender there can be no contract.
  const isQuantity = (text: unknown): boolean =>
    matches(QUANTITY, text) || (isMissing(text) && !matches(ACCOUNT, from));
  expect('value', isQuantity(value), tx, value);
  expect('gas', isQuantity(gas), tx, gas);
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
  expect('status', status === '0x0' || status === '0x1', owner, status);
  expect('gasUsed', matches(QUANTITY, gasUsed), owner, gasUsed);
  expect('contractAddress', isAccount(contractAddress), owner, contractAddress);
  for (const { address, topics, data, logIndex } of logs) {
    expect('address of a log', matches(ACCOUNT, address), owner, address);
    expect(
      'topics of a log',
      Array.isArray(topics) && topics.every((topic) => matches(WORD, topic)),
      owner,
      topics,
    );
    expect('data of a log', matches(BYTES, data), owner, data);
    expect('logIndex of a log', logIndex === undefined || matches(QUANTITY, logIndex), owner, logIndex);
  }
}

function expect(what: string, isRight: boolean, { hash }: { readonly hash: string }, value: unknown): void {
  if (!isRight)
    throw new IncompleteBlockError(
      `${what} of transaction ${String(hash).slice(0, 80)}: expected it as java-tron writes it, got ${String(JSON.stringify(value)).slice(0, 80)}`,
    );
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}
