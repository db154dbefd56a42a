// SPDX-License-Identifier: Apache-2.0
import { classes } from './classes.ts';

interface AmountProps {
  /** Exact, as the API writes it; null while the decimals of the asset are not known. */
  readonly value: string | null;
  readonly symbol: string;
  /** In base units, where `value` is null. */
  readonly raw?: string;
  readonly sign?: '+' | '−' | '';
}

/** Digits are grouped, never rounded: what is shown is what the chain says. */
export function Amount({ value, symbol, raw, sign = '' }: AmountProps) {
  return (
    <span className={classes('tabular-nums', sign === '+' && 'text-ok')}>
      {sign}
      {value === null ? `${raw ?? '?'} base units` : groupDigits(value)}{' '}
      <span className="text-faint">{symbol}</span>
    </span>
  );
}

/** `1234567.000100` → `1,234,567.000100`: text in, text out, no number in between. */
function groupDigits(value: string): string {
  const [, minus = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(value) ?? [];
  return whole === '' ? value : `${minus}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${fraction}`;
}
