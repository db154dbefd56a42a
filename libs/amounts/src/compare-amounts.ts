import { DECIMAL_EXPECTED, splitDecimal, type DecimalParts } from './decimal.ts';
import { InvalidAmountError } from './invalid-amount-error.ts';

/**
 * Order of two decimal strings, exact at any length: negative, zero or positive like a sort comparator. `1.50` equals
 * `1.5`, `-0` equals `0`.
 *
 * @throws InvalidAmountError when either is not a decimal string
 */
export function compareAmounts(left: string, right: string): -1 | 0 | 1 {
  const a = requireParts(left);
  const b = requireParts(right);
  const digits = Math.max(a.fraction.length, b.fraction.length);
  const difference = scale(a, digits) - scale(b, digits);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function requireParts(text: string): DecimalParts {
  const parts = splitDecimal(text);
  if (parts === undefined) throw new InvalidAmountError(DECIMAL_EXPECTED, text);
  return parts;
}

function scale({ isNegative, whole, fraction }: DecimalParts, digits: number): bigint {
  const magnitude = BigInt(whole + fraction.padEnd(digits, '0'));
  return isNegative ? -magnitude : magnitude;
}
