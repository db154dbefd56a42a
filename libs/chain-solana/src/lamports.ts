// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';
import type { ParsedTransaction } from './parse-transaction.ts';
import type { RawAmount } from './raw-block.ts';

/** What an account gained or lost in a transaction, with the fee added back for its payer. */
export interface Change {
  /** Index of the account among the transaction's keys. */
  readonly index: number;
  readonly delta: bigint;
}

/**
 * Changes of lamports, in the order of the accounts. A sum other than zero means lamports out of nothing,
 * which the chain does not have.
 * @throws RangeError when there is not one balance for each account
 */
export function lamportChanges({ meta, keyCount }: ParsedTransaction): Change[] {
  const { preBalances, postBalances, fee } = meta;
  if (preBalances.length !== keyCount || postBalances.length !== keyCount) {
    throw new RangeError(
      `expected ${keyCount} balances before and after, got ${preBalances.length} and ${postBalances.length}`,
    );
  }
  const changes: Change[] = [];
  for (let index = 0; index < keyCount; index += 1) {
    const before = preBalances[index]!;
    const after = postBalances[index]!;
    if (isRounded(before) || isRounded(after))
      throw new RoundedAmountError('an amount beyond 2^53 was rounded');
    if (before === after && index > 0) continue;
    const delta = subtract(after, before) + (index === 0 ? BigInt(fee) : 0n);
    if (delta !== 0n) changes.push({ index, delta });
  }
  return changes;
}

/** A number is too large for JSON.parse, and was rounded (quoteLargeBalances). */
export class RoundedAmountError extends BaseError {
  readonly code = 'rounded_amount';
  readonly retryable = false;
}

function isRounded(amount: RawAmount): boolean {
  return typeof amount === 'number' && amount > Number.MAX_SAFE_INTEGER;
}

/** Whether a vote moves no lamports but its fee. Only such votes are dropped. */
export function movesFeeOnly({ meta }: ParsedTransaction): boolean {
  const { preBalances, postBalances, fee } = meta;
  for (let index = 1; index < preBalances.length; index += 1)
    if (preBalances[index] !== postBalances[index]) return false;
  return subtract(preBalances[0] ?? 0, postBalances[0] ?? 0) === BigInt(fee);
}

function subtract(one: RawAmount, other: RawAmount): bigint {
  return typeof one === 'number' && typeof other === 'number'
    ? BigInt(one - other)
    : BigInt(one) - BigInt(other);
}
