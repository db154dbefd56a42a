/**
 * Amounts: bigint base units inside, exact decimal strings in whole units outside, never a float on the way. Used by
 * everything that shows or takes an amount.
 *
 * @example
 * formatAmount(1_500_000_000_000_000_000n, 18); // '1.5'
 * parseAmount('1.5', 18); // 1500000000000000000n
 */
export { formatAmount } from './format-amount.ts';
export { parseAmount } from './parse-amount.ts';
export { compareAmounts } from './compare-amounts.ts';
export { InvalidAmountError } from './invalid-amount-error.ts';
export { decimalSchema, positiveDecimalSchema, rawAmountSchema } from './schemas.ts';
