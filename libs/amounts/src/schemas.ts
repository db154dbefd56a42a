import { z } from 'zod';
import { DECIMAL_EXPECTED, DECIMAL_LENGTH_MAX, DECIMAL_PATTERN } from './decimal.ts';
import { showValue } from './invalid-amount-error.ts';

/** A decimal string in whole units, negative ones included (balance deltas). */
export const decimalSchema = patternSchema(DECIMAL_PATTERN, DECIMAL_EXPECTED);

/** A decimal string of zero or more, such as the `min_amount` filter. */
export const positiveDecimalSchema = patternSchema(
  /^(?:0|[1-9]\d*)(?:\.\d+)?$/,
  'a decimal number of zero or more such as "1.5"',
);

/** An integer in base units as text: what stands in `amount_raw`. */
export const rawAmountSchema = patternSchema(
  /^(?:0|-?[1-9]\d*)$/,
  'an integer in base units such as "1500000"',
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
