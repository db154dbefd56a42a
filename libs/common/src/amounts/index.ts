// SPDX-License-Identifier: Apache-2.0
/**
 * Amounts: bigint base units inside, exact decimal strings in whole units outside, never a float on the way. Used by
 * everything that shows or takes an amount.
 *
 * @example
 * formatAmount(1_500_000_000_000_000_000n, 18); // '1.5'
 * compareAmounts('1.5', '1.50'); // 0
 */
export {
  compareAmounts,
  DECIMAL_PATTERN,
  formatAmount,
  formatKnownAmount,
  InvalidAmountError,
  positiveDecimalSchema,
  scaleAmount,
} from './amounts.ts';
