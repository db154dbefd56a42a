import type { ParsedTransaction } from './parse-transaction.ts';
import type { RawAmount } from './raw-block.ts';

/** What an account of a transaction gained or lost, the fee given back to its payer. */
export interface Change {
  /** Of the account among the transaction's keys. */
  readonly index: number;
  readonly delta: bigint;
}

/**
 * Changes of lamports, in the order of the accounts. Their sum is what the transaction made out of nothing: zero, or it is
 * not what the chain had.
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

/** A number of that size was rounded (quoteLargeBalances). */
export class RoundedAmountError extends Error {}

function isRounded(amount: RawAmount): boolean {
  return typeof amount === 'number' && amount > Number.MAX_SAFE_INTEGER;
}

/** A vote that moves no lamports but its fee: the only ones that are dropped. */
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
