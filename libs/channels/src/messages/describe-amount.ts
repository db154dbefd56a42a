// SPDX-License-Identifier: Apache-2.0
/** Longer ones are rounded: a line has to hold them. */
const LENGTH_MAX = 40;
const DIGITS = 4;

/**
 * An amount for people, without its sign. Whole units where the decimals of the asset are known, else base units.
 *
 * @param amount signed, in whole units; null: the decimals are not known
 * @param raw signed, in base units
 */
export function describeAmount(amount: string | null | undefined, raw: string | undefined): string {
  if (typeof amount === 'string') return round(withoutSign(amount));
  return raw === undefined ? 'an unknown amount' : `${round(withoutSign(raw))} base units of`;
}

/** `+`, `-`, or nothing for zero. */
export function signOf(amount: string | null | undefined, raw: string | undefined): '+' | '-' | '' {
  const text = amount ?? raw ?? '0';
  if (/^-?[0.]*$/.test(text)) return '';
  return text.startsWith('-') ? '-' : '+';
}

function withoutSign(amount: string): string {
  return amount.replace(/^-/, '');
}

function round(amount: string): string {
  if (amount.length <= LENGTH_MAX) return amount;
  const [whole = '', fraction = ''] = amount.split('.');
  const digits = `${whole}${fraction}`;
  const first = digits.search(/[1-9]/);
  if (first === -1) return '0';
  const shown = digits.slice(first, first + DIGITS);
  const exponent = whole.length - 1 - first;
  return `about ${shown.slice(0, 1)}.${shown.slice(1).padEnd(DIGITS - 1, '0')}e${exponent}`;
}
