import { checkDecimals } from './invalid-amount-error.ts';

/**
 * Base units as an exact decimal string in whole units: `formatAmount(1500000000000000000n, 18)` → `1.5`. No exponent,
 * no trailing zeros, never `-0`.
 *
 * @param decimals 0 to 255 (a uint8 on every chain)
 * @throws InvalidAmountError when `decimals` is out of range
 */
export function formatAmount(raw: bigint, decimals: number): string {
  checkDecimals(decimals);
  const sign = raw < 0n ? '-' : '';
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = trimZeros(digits.slice(digits.length - decimals));
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

function trimZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}
