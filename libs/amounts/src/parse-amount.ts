import { DECIMAL_EXPECTED, splitDecimal } from './decimal.ts';
import { checkDecimals, InvalidAmountError } from './invalid-amount-error.ts';

/**
 * Whole units as base units, exactly: `parseAmount('1.5', 18)` → `1500000000000000000n`. Trailing zeros are fine as
 * long as they fit; nothing is ever rounded.
 *
 * @param decimals 0 to 255
 * @throws InvalidAmountError on more fraction digits than `decimals`, an exponent, a plus sign, leading zeros, garbage
 */
export function parseAmount(text: string, decimals: number): bigint {
  checkDecimals(decimals);
  const parts = splitDecimal(text);
  if (parts === undefined) throw new InvalidAmountError(DECIMAL_EXPECTED, text);
  if (parts.fraction.length > decimals) {
    throw new InvalidAmountError(`at most ${decimals} digits after the point`, text);
  }
  const magnitude = BigInt(parts.whole + parts.fraction.padEnd(decimals, '0'));
  return parts.isNegative ? -magnitude : magnitude;
}
