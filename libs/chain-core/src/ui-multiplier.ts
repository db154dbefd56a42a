// SPDX-License-Identifier: Apache-2.0
/**
 * What wallets multiply the amounts of a token with before they show them. Amounts in base units stay what they are.
 *
 * - `scaled`: a number that the issuer sets, perhaps ahead of time (Token-2022's scaled UI amount, ERC-8056).
 * - `interest`: continuous interest by two rates in basis points a year, before and since the last change (Token-2022's
 *   interest-bearing mint). Times are Unix seconds.
 */
export type UiMultiplier =
  | {
      readonly type: 'scaled';
      /** A decimal. */
      readonly value: string;
      /** What holds from a time on, in Unix seconds. */
      readonly next?: { readonly value: string; readonly at: number };
    }
  | {
      readonly type: 'interest';
      readonly startedAt: number;
      readonly rateBefore: number;
      readonly changedAt: number;
      readonly rate: number;
    };

const SECONDS_PER_YEAR = 60 * 60 * 24 * 365.24;
const BASIS_POINTS = 10_000;

/** The multiplier at a time in Unix seconds, a decimal. Undefined where it is no number, as after centuries of interest. */
export function uiMultiplierAt(multiplier: UiMultiplier, at: number): string | undefined {
  if (multiplier.type === 'scaled') {
    const { value, next } = multiplier;
    return next !== undefined && at >= next.at ? next.value : value;
  }
  const { startedAt, rateBefore, changedAt, rate } = multiplier;
  const grow = (points: number, seconds: number): number =>
    Math.exp((points * seconds) / SECONDS_PER_YEAR / BASIS_POINTS);
  return decimalOfDouble(grow(rateBefore, changedAt - startedAt) * grow(rate, at - changedAt));
}

/** The shortest decimal that a double stands for, without an exponent. Undefined for zero, what is below it, and no number. */
export function decimalOfDouble(value: number): string | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined;
  const [digits = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const point = whole.length + Number(exponent);
  const all = `${'0'.repeat(Math.max(0, 1 - point))}${whole}${fraction}`.padEnd(point, '0');
  const at = Math.max(1, point);
  const rest = all.slice(at).replace(/0+$/, '');
  return `${all.slice(0, at).replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`;
}
