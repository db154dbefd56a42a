// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '../problem/index.ts';
import { z } from 'zod';

/** An exact decimal number as text: no exponent, no plus sign, no leading zeros, digits on both sides of the point. */
export const DECIMAL_PATTERN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

const DECIMAL_EXPECTED = 'a decimal number such as "1.5"';

/** Room for a uint256 with 255 decimals several times over; bounds the work that a stranger's text can cause. */
const DECIMAL_LENGTH_MAX = 1024;

/** A text or a number of decimals that is no amount. The message says expected and got, and may be shown to clients. */
export class InvalidAmountError extends BaseError {
  readonly code = 'invalid_amount';
  readonly retryable = false;
  declare readonly publicMessage: string;
  constructor(expected: string, got: unknown) {
    const message = `expected ${expected}, got ${showValue(got)}`;
    super(message, { publicMessage: message });
  }
}

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

/** Null while the decimals are not known: unknown is not 0. @throws InvalidAmountError when they are out of range */
export function formatKnownAmount(raw: bigint, decimals: number | null | undefined): string | null {
  return decimals === null || decimals === undefined ? null : formatAmount(raw, decimals);
}

/**
 * An amount times a decimal, in whole units and cut off after `decimals` digits: what wallets show of a token with a multiplier.
 *
 * @throws InvalidAmountError
 */
export function scaleAmount(raw: bigint, decimals: number, multiplier: string): string {
  const parts = requireParts(multiplier);
  const digits = parts.fraction.length;
  return formatAmount((raw * scale(parts, digits)) / 10n ** BigInt(digits), decimals);
}

/** @throws InvalidAmountError */
function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= 255) return;
  throw new InvalidAmountError('decimals from 0 to 255', decimals);
}

function trimZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}

/**
 * Order of two decimal strings, exact at any length: negative, zero or positive like a sort comparator. `1.50` equals
 * `1.5`, `-0` equals `0`.
 *
 * @throws InvalidAmountError when either is not a decimal string
 */
export function compareAmounts(left: string, right: string): -1 | 0 | 1 {
  const a = requireParts(left);
  const b = requireParts(right);
  if (a.isNegative !== b.isNegative) {
    if (isZero(a) && isZero(b)) return 0;
    return a.isNegative ? -1 : 1;
  }
  return a.isNegative ? compareMagnitudes(b, a) : compareMagnitudes(a, b);
}

/** By digits, without numbers: no part has leading zeros, so that a longer whole is greater. */
function compareMagnitudes(a: DecimalParts, b: DecimalParts): -1 | 0 | 1 {
  if (a.whole.length !== b.whole.length) return a.whole.length < b.whole.length ? -1 : 1;
  if (a.whole !== b.whole) return a.whole < b.whole ? -1 : 1;
  const digits = Math.max(a.fraction.length, b.fraction.length);
  const [left, right] = [a.fraction.padEnd(digits, '0'), b.fraction.padEnd(digits, '0')];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const isZero = ({ whole, fraction }: DecimalParts): boolean => /^0*$/.test(whole + fraction);

interface DecimalParts {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

function requireParts(text: string): DecimalParts {
  const parts = splitDecimal(text);
  if (parts === undefined) throw new InvalidAmountError(DECIMAL_EXPECTED, text);
  return parts;
}

function splitDecimal(text: unknown): DecimalParts | undefined {
  if (typeof text !== 'string' || text.length > DECIMAL_LENGTH_MAX || !DECIMAL_PATTERN.test(text))
    return undefined;
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  return { isNegative, whole, fraction };
}

function scale({ isNegative, whole, fraction }: DecimalParts, digits: number): bigint {
  const magnitude = BigInt(whole + fraction.padEnd(digits, '0'));
  return isNegative ? -magnitude : magnitude;
}

/** A decimal string of zero or more, such as the `min_amount` filter. */
export const positiveDecimalSchema = patternSchema(
  /^(?:0|[1-9]\d*)(?:\.\d+)?$/,
  'a decimal number of zero or more such as "1.5"',
);

function patternSchema(pattern: RegExp, expected: string): z.ZodString {
  const error = ({ input }: { input?: unknown }) => `expected ${expected}, got ${showValue(input)}`;
  const tooLong = ({ input }: { input?: unknown }) =>
    `expected at most ${DECIMAL_LENGTH_MAX} characters, got ${showValue(input)}`;
  return z
    .string({ error })
    .max(DECIMAL_LENGTH_MAX, { error: tooLong, abort: true })
    .regex(pattern, { error });
}

function showValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  return value.length <= 80
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, 80))}… (${value.length} characters)`;
}
